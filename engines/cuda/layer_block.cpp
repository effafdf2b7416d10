#include "engines/cuda/layer_block.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/cpu/bfloat16.h"
#include "engines/cuda/packed_layout.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Tables in bfloat16, norms and biases in float32.
std::int64_t bytes_beside_layers(const DecoderShape& shape) {
  const std::int64_t hidden = shape.hidden_size;
  std::int64_t tables = packed_size(shape.vocab_size, hidden);
  if (!shape.head_is_embedding()) tables += packed_size(shape.num_logits(), hidden);
  const std::int64_t biases =
      shape.query_key_value_bias ? shape.query_size() + 2 * shape.kv_size() : 0;
  return 2 * tables + 4 * (hidden * (2 * shape.num_layers + 1) + biases * shape.num_layers);
}

}  // namespace

std::int64_t packed_size(std::int64_t rows, std::int64_t columns) {
  return (rows + kTileRows - 1) / kTileRows * kTileRows * columns;
}

std::vector<std::uint16_t> pack(std::span<const float> values, std::int64_t columns,
                                const std::function<std::int64_t(std::int64_t)>& source_row) {
  if (columns % kTileColumns != 0)
    throw DeviceError(fmt::format(
        "device 'cuda': a matrix of {} columns; allowed there: multiples of {}; use --device cpu",
        columns, kTileColumns));
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  std::vector<std::uint16_t> packed(static_cast<std::size_t>(packed_size(rows, columns)), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* source = values.data() + source_row(row) * columns;
    for (std::int64_t column = 0; column < columns; ++column)
      packed[static_cast<std::size_t>(packed_index(row, column, columns))] =
          cpu::to_bfloat16(source[column]);
  }
  return packed;
}

LayerBlock::LayerBlock(const DecoderShape& shape) {
  std::int64_t end = 0;
  const auto next = [&end](std::int64_t rows, std::int64_t columns) {
    const Matrix matrix{end, packed_size(rows, columns)};
    end += matrix.elements;
    return matrix;
  };
  query_key_value = next(shape.query_size() + 2 * shape.kv_size(), shape.hidden_size);
  attention_output = next(shape.hidden_size, shape.query_size());
  gate_up = next(2 * std::int64_t{shape.intermediate_size}, shape.hidden_size);
  down = next(shape.hidden_size, shape.intermediate_size);
}

ResidentLayers ResidentLayers::within(const DecoderShape& shape, std::int64_t limit) {
  const std::int64_t layer = LayerBlock(shape).bytes(), rest = bytes_beside_layers(shape);
  if (rest + shape.num_layers * layer <= limit) return {shape.num_layers, 0};
  const std::int64_t least = least_bytes(shape);
  if (limit < least)
    throw ConfigError(
        fmt::format("resident_bytes = {} on device 'cuda': tables and norms of model '{}' take {} "
                    "bytes, and two layers, one in use and one on its way, {} each; allowed: at "
                    "least {}; or use --device cpu",
                    limit, escaped(shape.name), rest, layer, least));
  const auto count = static_cast<std::int32_t>((limit - least) / layer);
  return {count, (shape.num_layers - count) * layer};
}

std::int64_t ResidentLayers::least_bytes(const DecoderShape& shape) {
  return bytes_beside_layers(shape) + std::min(2, shape.num_layers) * LayerBlock(shape).bytes();
}

std::string ResidentLayers::kernels(const std::string& device, const DecoderShape& shape) const {
  std::string text = "speclab, " + device;
  if (streamed_bytes > 0)
    text += fmt::format(", {} of {} layers streamed", shape.num_layers - count, shape.num_layers);
  return text;
}

}  // namespace speclab::engines::cuda
