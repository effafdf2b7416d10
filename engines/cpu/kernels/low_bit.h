#pragma once
// Products of rows with low-bit weights: one pass over a block of columns for up to 16 rows, the
// weights of a group in registers while its rows go by.

#include "engines/cpu/kernels/low_bit_groups.h"
#include "engines/cpu/kernels/low_bit_int8.h"
#include "engines/cpu/kernels/low_bit_pairs.h"

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
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
