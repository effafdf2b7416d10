#pragma once
#include <cstdint>
#include <vector>

#include "engines/models/decoder_shape.h"

namespace speclab::engines::cpu {

/// Cosines and sines of a rotary base, position by position; computed in double, and only as far as
/// a cache reaches.
class RotationTable {
 public:
  RotationTable(const DecoderShape& shape, RotaryBase base) : shape_(shape), base_(base) {}

  /// Makes rows for the positions below `length`, the context's at most.
  void reach(std::int32_t length);
  /// Turns one head; values that do not turn, and padding, are copied.
  /// @param in, out  [size], two arrays
  void rotate(const float* in, std::int32_t position, std::int32_t size, float* out) const;

 private:
  DecoderShape shape_;
  RotaryBase base_;
  std::vector<float> table_;  ///< [positions, 2, rotary_size / 2]: cosines, sines
};

}  // namespace speclab::engines::cpu
