#include "engines/models/decoder_weights.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

class RandomDecoderWeights : public DecoderWeights {
 public:
  RandomDecoderWeights(const DecoderShape& shape, std::uint64_t seed)
      : shape_(shape), stream_(seed) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == head && shape_.tied_embeddings) return read_tied_head(shape_);
    std::vector<float> values(static_cast<std::size_t>(num_elements(role, shape_)),
                              is_norm_weight(role) ? 1.0f : 0.0f);
    if (is_norm_weight(role) || is_bias(role)) return values;
    for (std::size_t i = 0; i < values.size(); i += 2) fill_pair(role, layer, i, values);
    return values;
  }
  std::int64_t bytes_to_read(TensorRole role, std::int32_t /*layer*/) const override {
    const std::int64_t values = num_elements(role, shape_);
    if (role != head || !shape_.tied_embeddings || shape_.head_is_embedding())
      return float32_bytes(values);
    return float32_bytes(values + num_elements(embedding, shape_));
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

std::vector<float> DecoderWeights::read_tied_head(const DecoderShape& shape) const {
  std::vector<float> table = read(embedding, 0);
  return shape.head_is_embedding() ? table
                                   : rows_of(shape.draft_vocabulary, table, shape.table_width());
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
