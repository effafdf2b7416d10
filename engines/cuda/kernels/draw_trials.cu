#include "engines/cuda/kernels/draw_trials.h"

#include "engines/cuda/kernels/block_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"

namespace speclab::engines::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads, 1)
    draw_trials(const float* weights, int size, const double* uniforms, std::int32_t* found) {
  __shared__ BlockShared shared;
  wait_for_previous_kernel();
  const int drawn =
      block_categorical(size, uniforms[blockIdx.x], [&](int i) { return weights[i]; }, shared);
  if (threadIdx.x == 0) found[blockIdx.x] = drawn;
}

}  // namespace

void launch_draw_trials(const float* weights, int size, const double* uniforms, int count,
                        std::int32_t* found, const LaunchContext& context) {
  launch(Start::in_turn, draw_trials, dim3(static_cast<unsigned>(count)), kBlockThreads, 0, context,
         weights, size, uniforms, found);
}

}  // namespace speclab::engines::cuda
