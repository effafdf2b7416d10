#pragma once
// Rows of activations into groups for the inexact products.

#include "engines/cpu/activation_groups.h"
#include "engines/cpu/kernels/vectors.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

inline std::int32_t lane_sum(IntVector v) {
  std::int32_t sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += v[lane];
  return sum;
}

/// Nearest whole numbers, ties to even; |v| < 2^22.
inline IntVector nearest(Vector v) {
  const Vector shifter = splat(12582912.0f);
  return to_int((v + shifter) - shifter);
}

/// Below it 127 / value is no float; such a group is 0.
constexpr float kSmallestScaled = 1e-36f;

/// The largest value becomes 127. A value that is not finite makes all products so.
inline void make_group(const float* x, Int8Group& group) {
  const Vector halves[2] = {load(x), load(x + kLanes)};
  const auto size = [](Vector v) { return choose(v < Vector{}, -v, v); };
  const float largest = lane_max(larger(size(halves[0]), size(halves[1])));
  const bool has_nan = any_lane((halves[0] != halves[0]) | (halves[1] != halves[1]));
  if (has_nan || !(largest >= kSmallestScaled && largest < INFINITY)) {
    group = {};
    group.scale = group.sum = !has_nan && largest < INFINITY ? 0.0f : NAN;
    return;
  }
  const float inverse = 127.0f / largest;
  group.scale = largest / 127.0f;
  for (int half = 0; half < 2; ++half) {
    const IntVector codes = nearest(halves[half] * inverse);
    group.half_sums[half] = lane_sum(codes);
    for (int i = 0; i < kLanes; ++i) {
      const int depth = i / kStepDepth * kStepDepth + kDepthOfByte[i % kStepDepth];
      group.codes[half * kLanes + i] = static_cast<std::int8_t>(codes[depth]);
    }
  }
  group.sum = group.scale * static_cast<float>(group.half_sums[0] + group.half_sums[1]);
}

inline void make_group(const float* x, BFloat16Group& group) {
  for (int half = 0; half < 2; ++half) {
    const UintVector rounded = round_to_bfloat16(load(x + half * kLanes));
    store_low_halves(rounded, group.values + half * kLanes);
    group.half_sums[half] = lane_sum(as_float(rounded << 16));
  }
}

template <typename Group>
void make_groups_as(const GroupArgs& args) {
  Group* groups = static_cast<Group*>(args.out);
  for (int i = args.begin; i < args.end; ++i) {
    const int row = i % args.rows, group = i / args.rows;
    make_group(args.x + row * args.x_stride + group * kGroupDepth, groups[i]);
  }
}

void make_groups(const GroupArgs& args) {
  if (args.kind == ProductKind::int8) return make_groups_as<Int8Group>(args);
  make_groups_as<BFloat16Group>(args);
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
