#pragma once
// Starts kernels, with every failure as an exception.

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <utility>

#include "engines/cuda/cuda_errors.h"
#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// How a kernel starts: `overlapping` before the kernel in front of it has ended, for which it
/// waits by itself.
enum class Start { in_turn, overlapping };

template <typename... Parameters, typename... Arguments>
void launch(Start start, void (*kernel)(Parameters...), dim3 grid, int threads, int shared_bytes,
            const LaunchContext& context, Arguments&&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = context.stream;
  config.attrs = &overlap;
  config.numAttrs = start == Start::overlapping && context.has_overlapping_starts ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...),
        "launching a kernel");
}

/// Lets `kernel` use more shared memory than the 48 KiB that need no asking.
template <typename Kernel>
void allow_shared_bytes(Kernel* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "asking for shared memory");
}

/// As allow_shared_bytes() for launches of several sizes, by any thread: what was allowed once is
/// never lowered, and no thread launches before it is allowed.
template <typename Kernel>
void allow_most_shared_bytes(Kernel* kernel, int bytes) {
  static std::mutex one_at_a_time;
  static std::map<Kernel*, int> allowed;
  const std::lock_guard lock(one_at_a_time);
  int& most = allowed[kernel];
  if (bytes <= most) return;
  allow_shared_bytes(kernel, bytes);
  most = bytes;
}

}  // namespace speclab::engines::cuda
