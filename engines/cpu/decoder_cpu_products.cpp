// Products of rows with matrices of any form.

#include <algorithm>

#include "engines/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {
namespace {

/// From as many rows on, low-bit columns at exact products are expanded once for all rows.
constexpr int kExpandedRows = 24;

constexpr std::int64_t kElementBytes[] = {4, 2};  // of ElementType

std::int64_t element_bytes(ElementType type) { return kElementBytes[static_cast<int>(type)]; }

}  // namespace

std::size_t DecoderCpu::bytes_of_deepest_block(int bytes_a_weight) const {
  return static_cast<std::size_t>(deepest_ * kBlockColumns * bytes_a_weight);
}

void DecoderCpu::reserve_product_rows(std::size_t rows) {
  if (numbers_.kind == ProductKind::exact) {
    if (numbers_.weights == WeightChoice::expanded || rows < kExpandedRows) return;
    for (Scratch& scratch : scratch_)
      if (!scratch.block) scratch.block = make_huge_buffer(bytes_of_deepest_block(2));
    return;
  }
  const std::size_t all =
      rows * std::max<std::size_t>(1, static_cast<std::size_t>(config_.experts_per_token));
  const std::size_t groups = static_cast<std::size_t>(deepest_ + kGroupDepth - 1) / kGroupDepth;
  if (product_rows_.size() < all * groups) product_rows_.resize(all * groups);
}

DecoderCpu::ProductRows DecoderCpu::product_rows(int rank, const PackedMatrix& matrix,
                                                 const void* x, int rows) {
  const std::int64_t depth = matrix.depth();
  if (numbers_.kind == ProductKind::exact)
    return {static_cast<const char*>(x), depth, depth * element_bytes(type_)};
  const auto* values = static_cast<const float*>(x);
  auto* out = reinterpret_cast<char*>(product_rows_.data());
  if (!matrix.is_low_bit()) {
    const std::int64_t row_bytes = depth * element_bytes(numbers_.type);
    const Range range = share(rows, rank, team_->size());
    for (std::int64_t r = range.begin; r < range.end; ++r)
      kernels_->convert(values + r * depth, static_cast<int>(depth), numbers_.type,
                        out + r * row_bytes);
    team_->barrier();
    return {out, depth, row_bytes};
  }
  const Range range = share(static_cast<int>(depth / kGroupDepth) * rows, rank, team_->size());
  kernels_->make_groups({.kind = numbers_.kind,
                         .x = values,
                         .x_stride = depth,
                         .rows = rows,
                         .begin = range.begin,
                         .end = range.end,
                         .out = out});
  team_->barrier();
  const auto group_bytes = static_cast<std::int64_t>(
      numbers_.kind == ProductKind::int8 ? sizeof(Int8Group) : sizeof(BFloat16Group));
  return {out, rows, group_bytes};
}

MultiplyArgs DecoderCpu::product_args(const PackedMatrix& matrix, const std::vector<float>& bias,
                                      const ProductRows& x, int rows, void* out,
                                      std::int64_t out_stride, Epilogue epilogue) const {
  return {.kind = numbers_.kind,
          .x = x.x,
          .x_stride = x.stride,
          .out = out,
          .out_type = type_,
          .out_stride = out_stride,
          .rows = rows,
          .depth = matrix.depth(),
          .block_begin = 0,
          .block_end = 0,
          .columns = matrix.columns(),
          .epilogue = epilogue,
          .activation = config_.activation,
          .bias = bias.empty() ? nullptr : bias.data()};
}

void DecoderCpu::multiply(int rank, const PackedMatrix& matrix, const std::vector<float>& bias,
                          const void* x, int rows, void* out, std::int64_t out_stride,
                          Epilogue epilogue) {
  MultiplyArgs args = product_args(matrix, bias, product_rows(rank, matrix, x, rows), rows, out,
                                   out_stride, epilogue);
  deal(rank, rows, matrix.num_blocks(), 1, [&](Range blocks) {
    args.block_begin = blocks.begin;
    args.block_end = blocks.end;
    run_product(rank, matrix, args);
  });
}

void DecoderCpu::multiply(int rank, const Linear& linear, const void* x, int rows, void* out,
                          std::int64_t out_stride, Epilogue epilogue) {
  multiply(rank, form_for(linear, rows), linear.bias, x, rows, out, out_stride, epilogue);
}

void DecoderCpu::run_product(int rank, const PackedMatrix& matrix, const MultiplyArgs& args) {
  for (const PackedMatrix::PlacedPart& part : matrix.placed_parts()) {
    MultiplyArgs of_part = args;
    of_part.block_begin = std::max(args.block_begin, part.first_block);
    of_part.block_end = std::min(args.block_end, part.end_block);
    if (of_part.block_begin < of_part.block_end) run_part(rank, matrix, part, of_part);
  }
}

void DecoderCpu::run_part(int rank, const PackedMatrix& matrix,
                          const PackedMatrix::PlacedPart& part, MultiplyArgs args) {
  args.weights = part.data;
  args.form = part.form;
  args.first_block = part.first_block;
  const bool expands =
      is_low_bit(part.form) && args.kind == ProductKind::exact && args.rows >= kExpandedRows;
  if (part.data == nullptr || expands) return run_blocks(rank, matrix, args, expands);
  run_form(args);
}

void DecoderCpu::run_form(const MultiplyArgs& args) {
  if (args.form == WeightForm::float32) return kernels_->multiply_float32(args);
  if (args.form == WeightForm::bfloat16) return kernels_->multiply_bfloat16(args);
  kernels_->multiply_low_bit(args);
}

const char* DecoderCpu::made_block(Scratch& scratch, const PackedMatrix& matrix, WeightForm form,
                                   int block) {
  auto* made = static_cast<char*>(scratch.made.get());
  matrix.source()->make_block(form, block, made, scratch.values);
  return made;
}

/// Many rows repay the expansion of a low-bit block, and the sums have the bits of its kernels.
void DecoderCpu::run_blocks(int rank, const PackedMatrix& matrix, MultiplyArgs args, bool expands) {
  Scratch& scratch = scratch_[static_cast<std::size_t>(rank)];
  const WeightForm form = args.form;
  const std::int64_t bytes = block_bytes(form, args.depth);
  const auto* data = static_cast<const char*>(args.weights);
  const Range blocks{args.block_begin, args.block_end};
  const int first = args.first_block;
  for (int b = blocks.begin; b < blocks.end; ++b) {
    args.weights =
        data == nullptr ? made_block(scratch, matrix, form, b) : data + (b - first) * bytes;
    if (expands) {
      kernels_->expand_block(form, args.weights, args.depth,
                             static_cast<BFloat16*>(scratch.block.get()));
      args.weights = scratch.block.get();
      args.form = WeightForm::bfloat16;
    }
    args.first_block = args.block_begin = b;
    args.block_end = b + 1;
    run_form(args);
  }
}

}  // namespace speclab::engines::cpu
