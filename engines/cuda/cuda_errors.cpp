#include "engines/cuda/cuda_errors.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "sim/core/errors.h"

namespace speclab::engines::cuda {

void check(int status, const char* what) {
  if (status == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(status);
  throw DeviceError(fmt::format("CUDA: {} failed: {} ({})", what, cudaGetErrorString(error), cudaGetErrorName(error)));
}

}  // namespace speclab::engines::cuda
