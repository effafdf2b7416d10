#include "engines/reference/cuda_device.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Brings libtorch's CUDA part into the process; it stands beside the CPU part, where the wheel has
/// one. @return why it cannot, or empty
std::string load_cuda_part() {
  return ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) ? "" : ::dlerror();
}

}  // namespace

c10::Device torch_cuda_device(const std::string& subject) {
  static const std::string why_not = load_cuda_part();
  if (!why_not.empty())
    throw DeviceError(
        fmt::format("{}: libtorch's CUDA part cannot be loaded ({}); allowed: cpu, or a build with "
                    "-DSPECLAB_TORCH_DIR= of a torch 2.11 that has it",
                    subject, why_not));
  if (!at::hasCUDA())
    throw DeviceError(fmt::format("{}: no CUDA device or driver is here; allowed: cpu", subject));
  return c10::kCUDA;
}

}  // namespace speclab::engines
