#include "engines/cuda/kernels/ceilings.h"

#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"

namespace speclab::engines::cuda {
namespace {

__global__ void __launch_bounds__(512)
    read_all(const uint4* memory, std::size_t count, std::uint32_t* sink) {
  constexpr int kAtOnce = 8;
  wait_for_previous_kernel();
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::uint32_t all = 0;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + (kAtOnce - 1) * stride < count; i += kAtOnce * stride) {
    uint4 parts[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      parts[k] = __ldcs(memory + i + static_cast<std::size_t>(k) * stride);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) all |= parts[k].x ^ parts[k].y ^ parts[k].z ^ parts[k].w;
  }
  for (; i < count; i += stride) all |= memory[i].x ^ memory[i].y;
  if (all == 0x12345678u) *sink = all;
}

__global__ void nothing() {
  let_next_kernel_start();
  wait_for_previous_kernel();
}

__global__ void signal(volatile std::uint32_t* host_memory, const std::uint32_t* value) {
  wait_for_previous_kernel();
  *host_memory = *value;
}

}  // namespace

void launch_read(const void* memory, std::size_t bytes, std::uint32_t* sink,
                 const LaunchContext& context) {
  launch(Start::in_turn, read_all, dim3(static_cast<unsigned>(4 * context.num_multiprocessors)),
         512, 0, context, static_cast<const uint4*>(memory), bytes / 16, sink);
}

void launch_nothing(bool overlapping, const LaunchContext& context) {
  launch(overlapping ? Start::overlapping : Start::in_turn, nothing,
         dim3(static_cast<unsigned>(context.num_multiprocessors)), 128, 0, context);
}

void launch_signal(volatile std::uint32_t* host_memory, const std::uint32_t* value,
                   const LaunchContext& context) {
  launch(Start::in_turn, signal, dim3(1), 1, 0, context, host_memory, value);
}

}  // namespace speclab::engines::cuda
