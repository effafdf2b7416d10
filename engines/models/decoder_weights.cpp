#include "engines/models/decoder_weights.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

enum class RandomKind : std::uint8_t { normal, ones, zeros };

RandomKind random_kind(TensorRole role) {
  switch (role) {
    case output_norm:
    case attention_norm:
    case feed_forward_norm:
    case embedding_norm:
    case feature_norm:
    case attention_output_norm:
    case feed_forward_output_norm:
    case query_norm:
    case key_norm:
      return RandomKind::ones;
    case output_norm_bias:
    case head_bias:
    case attention_norm_bias:
    case feed_forward_norm_bias:
    case attention_output_norm_bias:
    case feed_forward_output_norm_bias:
    case query_bias:
    case key_bias:
    case value_bias:
    case attention_output_bias:
    case query_norm_bias:
    case key_norm_bias:
    case gate_bias:
    case up_bias:
    case down_bias:
      return RandomKind::zeros;
    default:
      return RandomKind::normal;
  }
}

std::int64_t bytes_of(std::int64_t num_values) {
  return num_values * static_cast<std::int64_t>(sizeof(float));
}

class RandomDecoderWeights : public DecoderWeights {
 public:
  RandomDecoderWeights(const DecoderShape& shape, std::uint64_t seed)
      : shape_(shape), stream_(seed) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == head && shape_.tied_embeddings) {
      std::vector<float> table = read(embedding, 0);
      return shape_.head_is_embedding()
                 ? table
                 : rows_of(shape_.draft_vocabulary, table, shape_.table_width());
    }
    const RandomKind kind = random_kind(role);
    std::vector<float> values(static_cast<std::size_t>(num_elements(role, shape_)),
                              kind == RandomKind::ones ? 1.0f : 0.0f);
    if (kind != RandomKind::normal) return values;
    for (std::size_t i = 0; i < values.size(); i += 2) fill_pair(role, layer, i, values);
    return values;
  }
  std::int64_t bytes_to_read(TensorRole role, std::int32_t /*layer*/) const override {
    const std::int64_t values = num_elements(role, shape_);
    if (role != head || !shape_.tied_embeddings || shape_.head_is_embedding())
      return bytes_of(values);
    return bytes_of(values + num_elements(embedding, shape_));
  }
  std::string sha256() const override {
    return fmt::format("random weights, seed {}", stream_.seed());
  }
  bool are_random() const override { return true; }

 private:
  /// Two normal values from two uniforms. @source Box & Muller 1958
  void fill_pair(TensorRole role, std::int32_t layer, std::size_t i,
                 std::vector<float>& values) const {
    constexpr double kDeviation = 0.02;
    const StreamKey key{static_cast<std::uint32_t>(role), static_cast<std::uint32_t>(layer),
                        Purpose::weights, static_cast<std::uint32_t>(i)};
    const double radius = kDeviation * std::sqrt(-2.0 * std::log(1.0 - stream_.uniform(key)));
    const double angle = 2.0 * std::numbers::pi *
                         stream_.uniform({key.sequence, key.position, key.purpose, key.draw + 1});
    values[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < values.size()) values[i + 1] = static_cast<float>(radius * std::sin(angle));
  }

  DecoderShape shape_;
  RngStream stream_;
};

}  // namespace

std::vector<std::byte> DecoderWeights::read_stored(TensorRole /*role*/,
                                                   std::int32_t /*layer*/) const {
  throw ContractError("rows that are not stored so");
}

RowPlaces::Place RowPlaces::place_of(std::size_t row) const {
  std::int64_t number = rows[row];
  for (const TensorBytes& tensor : tensors) {
    const std::int64_t here = static_cast<std::int64_t>(tensor.extent.bytes) / row_bytes;
    if (number < here)
      return {tensor.file, tensor.extent.offset + static_cast<std::uint64_t>(number * row_bytes)};
    number -= here;
  }
  throw ContractError("a row of a tensor");
}

std::vector<float> rows_of(std::span<const Token> tokens, std::span<const float> table,
                           std::int32_t width) {
  std::vector<float> rows;
  rows.reserve(tokens.size() * static_cast<std::size_t>(width));
  for (const Token token : tokens) {
    const std::span row =
        table.subspan(static_cast<std::size_t>(token) * static_cast<std::size_t>(width),
                      static_cast<std::size_t>(width));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::unique_ptr<DecoderWeights> random_decoder_weights(const DecoderShape& shape,
                                                       std::uint64_t seed) {
  return std::make_unique<RandomDecoderWeights>(shape, seed);
}

}  // namespace speclab::engines
