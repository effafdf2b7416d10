#pragma once
#include <cstdint>

#include "engines/cuda/forward_state.h"
#include "engines/cuda/packed_layout.h"

struct CUstream_st;
struct float2;

namespace speclab::engines::cuda {

/// How products of up to 16 rows are computed; all forms add in the same order, so that a form may
/// be chosen for speed alone.
enum class ProductForm {
  at_once,  ///< weights go straight to registers, by many small thread blocks (product_at_once.cuh)
  kept,     ///< weights go through a ring (product.cuh), activations stay in registers
  streamed  ///< weights go through a ring, activations are loaded tile by tile
};
inline constexpr ProductForm kProductForms[] = {ProductForm::at_once, ProductForm::kept,
                                                ProductForm::streamed};

/// Where kernels are put.
struct LaunchContext {
  CUstream_st* stream;
  int num_multiprocessors;
  bool has_overlapping_starts;  ///< compute capability 9.0 and higher
  ProductForm form;             ///< of products of up to 16 rows
};

/// y[m, n] = scale(m) * sum over k of w[n, k] x[m, k], scale(m) = 1 / sqrt(mean square + epsilon)
/// where partials are given.
struct ProductArguments {
  const void* weights;           ///< bfloat16, packed_layout.h
  const void* input;             ///< bfloat16, [rows, columns]
  const std::int32_t* num_rows;  ///< on the device
  const std::int32_t* gather;    ///< row of the input for each row of the product; null: itself
  const float*
      partials;  ///< [rows, num_partials], sums of squares that belong to the input; null: scale 1
  std::int32_t num_partials;
  std::int32_t columns, blocks;  ///< columns, a multiple of 32; blocks of 16 weight rows
  float inverse_size, epsilon;
};

}  // namespace speclab::engines::cuda
