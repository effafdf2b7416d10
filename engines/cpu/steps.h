#pragma once
// The steps of a forward, in their order. Every thread of the team runs them beside the others.

#include "engines/cpu/workspace.h"

namespace speclab::engines::cpu {

/// Tokens become residual streams, Workspace::x.
void embed(const Worker& worker);
/// All layers, one after the other, and the states that rows want from between them.
void run_layers(const Worker& worker);
/// Leaves keys and values of all rows in the cache, and queries in Workspace::projected.
void project_heads(const Worker& worker, std::int32_t layer);
/// Puts the sums of the heads' attention into Workspace::attended; in the last layer of the rows
/// that go on.
void attend(const Worker& worker, std::int32_t layer);
/// Adds the experts' sums to the residual streams. The rows' normed streams stand in
/// Workspace::normed.
void run_experts(const Worker& worker, const Layer& layer, int rows);
/// Logits and hidden states of the rows that want them.
void compute_outputs(const Worker& worker);

// Parts of the steps.

NormArgs norm_args(const DecoderShape& shape, const Norm& norm, std::int32_t size);
/// A norm of the residual stream.
NormArgs stream_norm_args(const DecoderShape& shape, const Norm& norm);
/// @param values  of the size and width in args, changed in place
inline void norm_in_place(const CpuKernels& kernels, NormArgs args, float* values) {
  args.x = values;
  args.out = values;
  kernels.norm(args);
}
/// Puts the rows into Workspace::normed in the products' element type, behind the norm if there is
/// one.
void norm_rows(const Worker& worker, int rows, const Norm& norm);
/// Adds Workspace::block to the residual streams, behind its norm and multiplier.
void finish_block(const Worker& worker, const Norm& output_norm, int rows);

/// The rows of a product, and the place of its result.
struct Product {
  const void* x;  ///< [rows, depth] in the element type of activations
  int rows;
  void* out;
  std::int64_t out_stride;
  Epilogue epilogue = Epilogue::store;
};

/// Rows of activations as the kernels of a matrix read them.
struct ProductRows {
  const char* x;
  std::int64_t stride;     ///< MultiplyArgs::x_stride
  std::int64_t row_bytes;  ///< from one row to the next
};

/// From as many rows on, low-bit columns at exact products are expanded once for all rows.
inline constexpr int kExpandedRows = 24;

/// This thread's part of a product.
void multiply(const Worker& worker, const Linear& linear, const Product& product);
/// Puts the rows into the order that the matrix's kernels read; all threads meet behind it where
/// that takes work.
ProductRows product_rows(const Worker& worker, const PackedMatrix& matrix, const Product& product);
/// All but the blocks to run.
MultiplyArgs product_args(const PackedDecoder& model, const Linear& linear, const ProductRows& rows,
                          const Product& product);
/// @param args  of the whole matrix, with the blocks to run
void run_product(const Worker& worker, const PackedMatrix& matrix, const MultiplyArgs& args);

/// The epilogue of a feed-forward's first product.
inline Epilogue first_epilogue(const DecoderShape& shape) {
  return shape.gated ? Epilogue::gate : Epilogue::activate;
}

}  // namespace speclab::engines::cpu
