#pragma once
// Sizes in whole vectors of 16. Weights and activations are zero beyond a true size, so that any
// width runs on the kernels.

#include <cstdint>
#include <vector>

#include "engines/models/decoder_shape.h"

namespace speclab::engines::cpu {

inline constexpr std::int32_t kPadding = 16;

constexpr std::int32_t padded(std::int32_t size) {
  return (size + kPadding - 1) / kPadding * kPadding;
}

/// Sizes of a decoder in whole vectors.
struct Widths {
  explicit Widths(const DecoderShape& shape)
      : hidden(padded(shape.hidden_size)),
        table(padded(shape.table_width())),
        head(padded(shape.head_dim)),
        query(shape.num_heads * head),
        key(shape.num_kv_heads * head),
        inner(padded(shape.intermediate_size)),
        expert(padded(shape.expert_size)) {}

  std::int32_t hidden, table, head, query, key, inner, expert;
  /// Queries, keys and values of a row.
  std::int64_t projected() const { return query + 2 * key; }
};

/// Groups of `size` values, one behind the other, become groups of `wide`, zeros at their ends.
inline std::vector<float> widened(std::vector<float> values, std::int64_t size, std::int64_t wide) {
  if (size == wide) return values;
  const std::int64_t groups = static_cast<std::int64_t>(values.size()) / size;
  std::vector<float> result(static_cast<std::size_t>(groups * wide), 0.0f);
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t i = 0; i < size; ++i)
      result[static_cast<std::size_t>(g * wide + i)] =
          values[static_cast<std::size_t>(g * size + i)];
  return result;
}

}  // namespace speclab::engines::cpu
