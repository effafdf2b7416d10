#pragma once
// Vectors of 16 lanes: GCC vector types of 64 bytes, lowered to what the instruction set has.

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "engines/models/cpu/kernels.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

typedef float Vector __attribute__((vector_size(64)));
typedef std::int32_t IntVector __attribute__((vector_size(64)));
typedef std::uint32_t UintVector __attribute__((vector_size(64)));
constexpr int kLanes = 16;

inline Vector load(const float* p) {
  Vector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Vector v) { std::memcpy(p, &v, sizeof v); }
inline Vector splat(float x) { return x - Vector{}; }
inline Vector as_float(UintVector v) { return reinterpret_cast<Vector>(v); }
inline UintVector as_bits(Vector v) { return reinterpret_cast<UintVector>(v); }
inline Vector choose(IntVector mask, Vector a, Vector b) { return mask ? a : b; }

/// Sum of the lanes in one fixed order.
inline float lane_sum(Vector v) {
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) v[i] += v[i + width];
  return v[0];
}

inline float lane_max(Vector v) {
  float best = v[0];
  for (int i = 1; i < kLanes; ++i) best = v[i] > best ? v[i] : best;
  return best;
}

/// exp(x) for x <= 0, relative error below 2e-7; 0 below -87. Cody-Waite reduction, degree-6 polynomial.
inline Vector exp_nonpositive(Vector x) {
  const IntVector underflow = x < splat(-87.0f);
  x = choose(underflow, splat(-87.0f), x);
  const Vector shifter = splat(12582912.0f);
  const Vector n = (x * 1.44269504f + shifter) - shifter;
  Vector r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  Vector poly = splat(1.3888889e-3f);
  for (const float c : {8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f}) poly = poly * r + c;
  const IntVector exponent = (__builtin_convertvector(n, IntVector) + 127) << 23;
  const Vector result = poly * reinterpret_cast<Vector>(exponent);
  return choose(underflow, Vector{}, result);
}

inline UintVector round_to_bfloat16(Vector v) {
  const UintVector bits = as_bits(v);
  return (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
}

inline void store_as(Vector v, float* out) { store(out, v); }
inline void store_as(Vector v, BFloat16* out) {
  typedef std::uint16_t Half __attribute__((vector_size(32)));
  const Half half = __builtin_convertvector(round_to_bfloat16(v), Half);
  std::memcpy(out, &half, sizeof half);
}

inline Vector silu(Vector x) {
  const IntVector negative = x < Vector{};
  const Vector e = exp_nonpositive(choose(negative, x, -x));
  return choose(negative, x * e, x) / (1.0f + e);
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
