// Products of rows with matrices of any form.

#include <algorithm>

#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

void run_form(const CpuKernels& kernels, const MultiplyArgs& args) {
  if (args.form == WeightForm::float32) return kernels.multiply_float32(args);
  if (args.form == WeightForm::bfloat16) return kernels.multiply_bfloat16(args);
  kernels.multiply_low_bit(args);
}

const char* made_block(Scratch& scratch, const PackedMatrix& matrix, WeightForm form, int block) {
  auto* made = static_cast<char*>(scratch.made.get());
  matrix.source()->make_block(form, block, made, scratch.values);
  return made;
}

/// One block of columns after the other: made, expanded, or both. Many rows repay the expansion of
/// a low-bit block, and the sums have the bits of its kernels.
void run_blocks(const Worker& worker, const PackedMatrix& matrix, MultiplyArgs args, bool expands) {
  Scratch& scratch = worker.scratch();
  const CpuKernels& kernels = *worker.room.kernels;
  const WeightForm form = args.form;
  const std::int64_t bytes = block_bytes(form, args.depth);
  const auto* data = static_cast<const char*>(args.weights);
  const Range blocks{args.block_begin, args.block_end};
  const int first = args.first_block;
  for (int b = blocks.begin; b < blocks.end; ++b) {
    args.weights =
        data == nullptr ? made_block(scratch, matrix, form, b) : data + (b - first) * bytes;
    if (expands) {
      kernels.expand_block(form, args.weights, args.depth,
                           static_cast<BFloat16*>(scratch.block.get()));
      args.weights = scratch.block.get();
      args.form = WeightForm::bfloat16;
    }
    args.first_block = args.block_begin = b;
    args.block_end = b + 1;
    run_form(kernels, args);
  }
}

void run_part(const Worker& worker, const PackedMatrix& matrix,
              const PackedMatrix::PlacedPart& part, MultiplyArgs args) {
  args.weights = part.data;
  args.form = part.form;
  args.first_block = part.first_block;
  const bool expands =
      is_low_bit(part.form) && args.kind == ProductKind::exact && args.rows >= kExpandedRows;
  if (part.data == nullptr || expands) return run_blocks(worker, matrix, args, expands);
  run_form(*worker.room.kernels, args);
}

}  // namespace

ProductRows product_rows(const Worker& worker, const PackedMatrix& matrix, const Product& product) {
  const NumberForms& numbers = worker.model.numbers;
  const CpuKernels& kernels = *worker.room.kernels;
  const std::int64_t depth = matrix.depth();
  if (numbers.kind == ProductKind::exact)
    return {static_cast<const char*>(product.x), depth, depth * element_bytes(worker.model.type)};
  const auto* values = static_cast<const float*>(product.x);
  auto* out = reinterpret_cast<char*>(worker.room.product_rows.data());
  if (!matrix.is_low_bit()) {
    const std::int64_t row_bytes = depth * element_bytes(numbers.type);
    const Range range = worker.share(product.rows);
    for (std::int64_t r = range.begin; r < range.end; ++r)
      kernels.convert(values + r * depth, static_cast<int>(depth), numbers.type,
                      out + r * row_bytes);
    worker.barrier();
    return {out, depth, row_bytes};
  }
  const Range range = worker.share(static_cast<int>(depth / kGroupDepth) * product.rows);
  kernels.make_groups({.kind = numbers.kind,
                       .x = values,
                       .x_stride = depth,
                       .rows = product.rows,
                       .begin = range.begin,
                       .end = range.end,
                       .out = out});
  worker.barrier();
  const auto group_bytes = static_cast<std::int64_t>(
      numbers.kind == ProductKind::int8 ? sizeof(Int8Group) : sizeof(BFloat16Group));
  return {out, product.rows, group_bytes};
}

MultiplyArgs product_args(const PackedDecoder& model, const Linear& linear, const ProductRows& rows,
                          const Product& product) {
  return {.kind = model.numbers.kind,
          .x = rows.x,
          .x_stride = rows.stride,
          .out = product.out,
          .out_type = model.type,
          .out_stride = product.out_stride,
          .rows = product.rows,
          .depth = linear.matrix.depth(),
          .block_begin = 0,
          .block_end = 0,
          .columns = linear.matrix.columns(),
          .epilogue = product.epilogue,
          .activation = model.shape.activation,
          .bias = linear.bias.empty() ? nullptr : linear.bias.data()};
}

void multiply(const Worker& worker, const Linear& linear, const Product& product) {
  const PackedMatrix& matrix = worker.model.form_for(linear, product.rows);
  MultiplyArgs args =
      product_args(worker.model, linear, product_rows(worker, matrix, product), product);
  worker.deal(product.rows, matrix.num_blocks(), 1, [&](Range blocks) {
    args.block_begin = blocks.begin;
    args.block_end = blocks.end;
    run_product(worker, matrix, args);
  });
}

void run_product(const Worker& worker, const PackedMatrix& matrix, const MultiplyArgs& args) {
  for (const PackedMatrix::PlacedPart& part : matrix.placed_parts()) {
    MultiplyArgs of_part = args;
    of_part.block_begin = std::max(args.block_begin, part.first_block);
    of_part.block_end = std::min(args.block_end, part.end_block);
    if (of_part.block_begin < of_part.block_end) run_part(worker, matrix, part, of_part);
  }
}

}  // namespace speclab::engines::cpu
