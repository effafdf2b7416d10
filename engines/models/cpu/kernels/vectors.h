#pragma once
// Vectors of 16 lanes on any instruction set, and what the kernels do with them.

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "engines/models/cpu/kernels.h"
#include "engines/models/cpu/kernels/lanes.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

inline Vector load(const float* p) {
  Vector v;
  copy_lanes(p, v);
  return v;
}
inline void store(float* p, Vector v) { copy_lanes(v, p); }

/// Sum of the lanes in one fixed order.
inline float lane_sum(Vector v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

inline float lane_max(Vector v) {
  float best = v[0];
  for (int i = 1; i < kLanes; ++i) best = v[i] > best ? v[i] : best;
  return best;
}

inline bool any_lane(IntVector mask) {
  bool any = false;
  for (int lane = 0; lane < kLanes; ++lane) any |= mask[lane] != 0;
  return any;
}

inline Vector larger(Vector a, Vector b) { return choose(a > b, a, b); }

/// exp(x) for x <= 0, relative error below 2e-7; 0 below -87. Cody-Waite reduction, degree-6
/// polynomial.
inline Vector exp_nonpositive(Vector x) {
  const IntVector underflow = x < splat(-87.0f);
  x = choose(underflow, splat(-87.0f), x);
  const Vector shifter = splat(12582912.0f);
  const Vector n = (x * 1.44269504f + shifter) - shifter;
  Vector r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  Vector poly = splat(1.3888889e-3f);
  for (const float c : {8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f})
    poly = poly * r + c;
  const IntVector exponent = (to_int(n) + 127) << 23;
  return choose(underflow, Vector{}, poly * as_float(exponent));
}

inline UintVector round_to_bfloat16(Vector v) {
  const UintVector bits = as_bits(v);
  return (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
}

inline void store_as(Vector v, float* out) { store(out, v); }
inline void store_as(Vector v, BFloat16* out) { store_low_halves(round_to_bfloat16(v), out); }

inline Vector silu(Vector x) {
  const IntVector negative = x < Vector{};
  const Vector e = exp_nonpositive(choose(negative, x, -x));
  return choose(negative, x * e, x) / (1.0f + e);
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
