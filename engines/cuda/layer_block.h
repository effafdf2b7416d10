#pragma once
// The matrices of a layer as one block of memory, and the choice of layers that stay on the device.

#include <cstdint>
#include <string>

#include "engines/models/decoder_shape.h"

namespace speclab::engines::cuda {

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
