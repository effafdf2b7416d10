#pragma once
// Draws by uniforms of the caller's choice, to find out what block_categorical does at the edges.

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// One draw a thread block, all by the same weights.
/// @param weights  [size] @param uniforms  [count] @param found  [count]: the index drawn, `size`
/// where no weight is positive
void launch_draw_trials(const float* weights, int size, const double* uniforms, int count,
                        std::int32_t* found, const LaunchContext& context);

}  // namespace speclab::engines::cuda
