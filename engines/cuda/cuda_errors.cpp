#include "engines/cuda/cuda_errors.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "sim/system/errors.h"

namespace speclab::engines::cuda {

void check(int status, const char* what) {
  if (status == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(status);
  if (error == cudaErrorMemoryAllocation)
    throw OutOfMemoryError(fmt::format(
        "CUDA: {} failed: the device's memory is full; use a smaller model, batch or context",
        what));
  throw DeviceError(fmt::format("CUDA: {} failed: {} ({})", what, cudaGetErrorString(error),
                                cudaGetErrorName(error)));
}

}  // namespace speclab::engines::cuda
