#pragma once
// Products of rows with low-bit weights: one pass over a block of columns for up to 16 rows, the
// weights of a group in registers while its rows go by.

#include <bit>

#include "engines/cpu/kernels/low_bit_int8.h"
#include "engines/cpu/kernels/low_bit_pairs.h"
#include "engines/cpu/kernels/vectors.h"
#include "engines/cpu/weight_form.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {

// Rows of activations into groups for the inexact products.

namespace {

/// The lanes of `v` moved down by `kBy`, those below the first to the end.
template <int kBy, typename Register>
inline Register rotated(Register v) {
  constexpr int kCount = static_cast<int>(sizeof(Register) / 4);
  IntRegister from;
  for (int i = 0; i < kCount; ++i) from[i] = (i + kBy) % kCount;
  return __builtin_shuffle(v, from);
}

/// All lanes together, in an order that is no matter to `combine`.
template <typename Register, typename Combine>
inline auto combined(Register v, const Combine& combine) {
  unrolled<std::bit_width(sizeof(Register) / 4) - 1>(
      [&](auto step) __attribute__((always_inline)) { v = combine(v, rotated<1 << step>(v)); });
  return v[0];
}
template <typename Half, typename Combine>
inline auto combined(Pair<Half> v, const Combine& combine) {
  return combined(combine(v.low, v.high), combine);
}

inline std::int32_t lane_sum(IntVector v) {
  return combined(v, [](auto a, auto b) { return a + b; });
}

/// The low byte of every lane, in each quad in the order of kDepthOfByte.
inline void store_codes(IntRegister codes, std::int8_t* out) {
  typedef std::int8_t Bytes __attribute__((vector_size(kRegisterBytes / 4)));
  IntRegister from;
  for (int i = 0; i < kRegisterBytes / 4; ++i)
    from[i] = i / kStepDepth * kStepDepth + kDepthOfByte[i % kStepDepth];
  const Bytes bytes = __builtin_convertvector(__builtin_shuffle(codes, from), Bytes);
  std::memcpy(out, &bytes, sizeof bytes);
}
template <typename Half>
inline void store_codes(Pair<Half> codes, std::int8_t* out) {
  store_codes(codes.low, out);
  store_codes(codes.high, out + sizeof(Half) / 4);
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
  const float largest = combined(larger(size(halves[0]), size(halves[1])),
                                 [](auto a, auto b) { return choose(a > b, a, b); });
  const bool has_nan = combined((halves[0] != halves[0]) | (halves[1] != halves[1]),
                                [](auto a, auto b) { return a | b; }) != 0;
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
    store_codes(codes, group.codes + half * kLanes);
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

namespace {

template <ProductKind kKind, WeightForm kForm>
inline void add_rows(const MultiplyArgs& args, const char* block, int first, int count,
                     RowSums& sums) {
  if constexpr (kKind == ProductKind::exact) exact_rows<kForm>(args, block, first, count, sums);
  if constexpr (kKind == ProductKind::int8) int8_rows<kForm>(args, block, first, count, sums);
  if constexpr (kKind == ProductKind::bfloat16)
    bfloat16_rows<kForm>(args, block, first, count, sums);
}

template <ProductKind kKind, WeightForm kForm>
void multiply_low_bit_as(const MultiplyArgs& args) {
  const std::int64_t bytes = block_bytes(kForm, args.depth);
  const int tiles = (args.rows + kMaxGroupRows - 1) / kMaxGroupRows;
  for (int block = args.block_begin; block < args.block_end; ++block) {
    const char* weights =
        static_cast<const char*>(args.weights) + (block - args.first_block) * bytes;
    for (int tile = 0, row = 0; tile < tiles; ++tile) {
      const int rows = (args.rows - row + tiles - tile - 1) / (tiles - tile);
      alignas(64) RowSums sums = {};
      add_rows<kKind, kForm>(args, weights, row, rows, sums);
      for (int r = 0; r < rows; ++r) {
        Vector sum[kVectorsPerBlock];
        for (int v = 0; v < kVectorsPerBlock; ++v) sum[v] = load(sums[r] + v * kLanes);
        finish_block(args, row + r, block, sum);
      }
      row += rows;
    }
  }
}

/// Calls work with a low-bit form as a constant.
template <typename Work>
inline void with_form(WeightForm form, const Work& work) {
  switch (form) {
    case WeightForm::q4_0:
      return work(std::integral_constant<WeightForm, WeightForm::q4_0>());
    case WeightForm::q4_1:
      return work(std::integral_constant<WeightForm, WeightForm::q4_1>());
    case WeightForm::q5_0:
      return work(std::integral_constant<WeightForm, WeightForm::q5_0>());
    case WeightForm::q8_0:
      return work(std::integral_constant<WeightForm, WeightForm::q8_0>());
    case WeightForm::q4_k:
      return work(std::integral_constant<WeightForm, WeightForm::q4_k>());
    case WeightForm::q6_k:
      return work(std::integral_constant<WeightForm, WeightForm::q6_k>());
    default:
      return;
  }
}

template <ProductKind kKind>
void multiply_low_bit_kind(const MultiplyArgs& args) {
  with_form(args.form, [&](auto form) { multiply_low_bit_as<kKind, form>(args); });
}

void expand_block(WeightForm form, const void* block, int depth, BFloat16* out) {
  with_form(form,
            [&](auto known) { expand_as<known>(static_cast<const char*>(block), depth, out); });
}

void multiply_low_bit(const MultiplyArgs& args) {
  switch (args.kind) {
    case ProductKind::exact:
      return multiply_low_bit_kind<ProductKind::exact>(args);
    case ProductKind::int8:
      return multiply_low_bit_kind<ProductKind::int8>(args);
    case ProductKind::bfloat16:
      return multiply_low_bit_kind<ProductKind::bfloat16>(args);
  }
}

}  // namespace

}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
