#pragma once
// The matrices of a layer as one block of memory, and the choice of layers that stay on the device.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engines/models/decoder_shape.h"

namespace speclab::engines::cuda {

// Weights of a Llama-family model as the device reads them.

/// A matrix in bfloat16, in the order of packed_layout.h; rows beyond the last one are zero.
/// @param values      [rows, columns] @param columns  a multiple of 32
/// @param source_row  row of `values` that stands at a packed row
/// @throws DeviceError if columns is no multiple of 32
std::vector<std::uint16_t> pack(std::span<const float> values, std::int64_t columns,
                                const std::function<std::int64_t(std::int64_t)>& source_row);
/// Number of elements of a packed matrix.
std::int64_t packed_size(std::int64_t rows, std::int64_t columns);

/// Places of packed matrices in a layer's block, in elements of bfloat16.
struct LayerBlock {
  struct Matrix {
    std::int64_t first = 0, elements = 0;
  };

  explicit LayerBlock(const DecoderShape& shape);
  std::int64_t elements() const { return down.first + down.elements; }
  std::int64_t bytes() const { return elements() * 2; }

  Matrix query_key_value, attention_output, gate_up, down;
};

/// The first layers stay on the device; the others come from host memory at every pass.
struct ResidentLayers {
  /// All layers stay if they fit. Else as many as fit beside tables, norms and places for two
  /// layers.
  /// @param limit  bytes of device memory that weights may take
  /// @throws ConfigError if it is too small for tables, norms and two layers
  static ResidentLayers within(const DecoderShape& shape, std::int64_t limit);

  /// The least limit. With more than two layers none stays.
  static std::int64_t least_bytes(const DecoderShape& shape);
  /// A table's name of the kernels, as in "speclab, NAME, 3 of 5 layers streamed".
  std::string kernels(const std::string& device, const DecoderShape& shape) const;

  std::int32_t count;
  std::int64_t streamed_bytes;  ///< that every pass brings; 0: all layers stay
};

}  // namespace speclab::engines::cuda
