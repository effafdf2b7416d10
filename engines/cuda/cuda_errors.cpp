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

void refuse_head_dim(int head_dim) {
  throw DeviceError(fmt::format("device 'cuda': heads of {} values; allowed there: 32, 64, 128; use --device cpu", head_dim));
}

}  // namespace speclab::engines::cuda
