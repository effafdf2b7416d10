#pragma once
// What several kernels share.

#include "engines/cuda/kernels/device_instructions.cuh"

namespace speclab::engines::cuda {

/// d += a b over 32 columns: every lane brings 8 consecutive columns of its rows l / 4 and l / 4 +
/// 8 of a, and of column l / 4 of b. The instruction's own order of columns is another one, the
/// same for a and b, so that the sum is over the same products.
__device__ inline void multiply_add_32(float (&d)[4], const uint4& low, const uint4& high,
                                       const uint4& b) {
  multiply_add(d, low.x, high.x, low.y, high.y, b.x, b.y);
  multiply_add(d, low.z, high.z, low.w, high.w, b.z, b.w);
}

__device__ inline std::uint16_t to_bfloat16(float value) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}
__device__ inline float from_bfloat16(std::uint16_t bits) {
  return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
}

__device__ inline std::uint32_t bfloat16_pair(float low, float high) {
  return static_cast<std::uint32_t>(to_bfloat16(low)) |
         static_cast<std::uint32_t>(to_bfloat16(high)) << 16;
}

}  // namespace speclab::engines::cuda
