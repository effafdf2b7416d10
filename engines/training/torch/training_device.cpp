#include "engines/training/torch/training_device.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// Brings libtorch's CUDA part into the process; it stands beside the CPU part, where the wheel has
/// one. @return why it cannot, or empty
std::string load_cuda_part() {
  return ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) ? "" : ::dlerror();
}

}  // namespace

c10::Device training_device(const TrainingSchedule& schedule) {
  if (schedule.device == "cpu") return c10::kCPU;
  static const std::string why_not = load_cuda_part();
  if (!why_not.empty())
    throw DeviceError(
        fmt::format("drafter.device = 'cuda': libtorch's CUDA part cannot be loaded ({}); allowed: "
                    "cpu, or a build with -DSPECLAB_TORCH_DIR= of a torch 2.11 that has it",
                    why_not));
  if (!at::hasCUDA())
    throw DeviceError("drafter.device = 'cuda': no CUDA device or driver is here; allowed: cpu");
  return c10::kCUDA;
}

void check_training_device(const TrainingSchedule& schedule) { training_device(schedule); }

c10::ScalarType product_dtype(const TrainingSchedule& schedule) {
  if (schedule.dtype != "auto") return schedule.dtype == "bfloat16" ? c10::kBFloat16 : c10::kFloat;
  return schedule.device == "cuda" || __builtin_cpu_supports("avx512bf16") ? c10::kBFloat16
                                                                           : c10::kFloat;
}

}  // namespace speclab::engines
