#pragma once
// Vectors of 16 lanes on any instruction set, and what the kernels do with them.

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "engines/cpu/kernels.h"
#include "engines/cpu/kernels/lanes.h"

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

inline Vector load_as(const float* p) { return load(p); }
inline Vector load_as(const BFloat16* p) {
  UintVector bits;
  widen<BFloat16>(p, bits);
  return as_float(bits << 16);
}
inline void store_as(Vector v, float* out) { store(out, v); }
inline void store_as(Vector v, BFloat16* out) { store_low_halves(round_to_bfloat16(v), out); }

/// x / (1 + exp(-slope)), the logistic function of `slope` times x.
inline Vector gated_by(Vector x, Vector slope) {
  const IntVector negative = slope < Vector{};
  const Vector e = exp_nonpositive(choose(negative, slope, -slope));
  return choose(negative, x * e, x) / (1.0f + e);
}

inline Vector silu(Vector x) { return gated_by(x, x); }

/// x Phi(x), with erfc to 1.5e-7. @source Abramowitz & Stegun 7.1.26
inline Vector gelu(Vector x) {
  const IntVector negative = x < Vector{};
  const Vector z = choose(negative, -x, x) * 0.70710678f;
  const Vector t = splat(1.0f) / (1.0f + z * 0.3275911f);
  Vector poly = splat(1.061405429f);
  for (const float c : {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
    poly = poly * t + splat(c);
  const Vector half_tail = poly * t * exp_nonpositive(-(z * z)) * 0.5f;
  return x * choose(negative, half_tail, splat(1.0f) + -half_tail);
}

/// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), by the logistic function of 2 u.
inline Vector gelu_tanh(Vector x) {
  const Vector u = x * 0.79788456f * (1.0f + x * x * 0.044715f);
  return gated_by(x, u + u);
}

inline Vector activated(Activation activation, Vector x) {
  switch (activation) {
    case Activation::silu:
      return silu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu_tanh(x);
    case Activation::relu:
      return choose(x > Vector{}, x, Vector{});
  }
  return x;
}

/// cap tanh(x / cap): a polynomial near zero, where the exponential would lose digits.
inline Vector capped(Vector x, float cap) {
  const Vector y = x * (1.0f / cap);
  const Vector square = y * y;
  Vector poly = splat(-17.0f / 315.0f);
  for (const float c : {2.0f / 15.0f, -1.0f / 3.0f, 1.0f}) poly = poly * square + splat(c);
  const IntVector negative = y < Vector{};
  const Vector e = exp_nonpositive(choose(negative, y + y, -(y + y)));
  const Vector far = (splat(1.0f) + -e) / (1.0f + e);
  const Vector curved = choose(negative, -far, far);
  return choose(square < splat(0.01f), y * poly, curved) * cap;
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
