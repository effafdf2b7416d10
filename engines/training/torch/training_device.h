#pragma once
// Where a training's tensors are and in what numbers it multiplies.

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "engines/interface/training.h"
#include "engines/reference/cuda_device.h"

namespace speclab::engines {

/// To be called before anything else is asked of libtorch, which looks for CUDA once, at the first
/// question.
/// @throws DeviceError if it is a CUDA device, and libtorch comes without CUDA or finds none
inline c10::Device training_device(const TrainingSchedule& schedule) {
  return schedule.device == "cpu" ? c10::Device(c10::kCPU)
                                  : torch_cuda_device("drafter.device = 'cuda'");
}
/// The same, for what is not there is better known before the text is made.
inline void check_training_device(const TrainingSchedule& schedule) { training_device(schedule); }
/// What TrainingSchedule::dtype means on its device.
inline c10::ScalarType product_dtype(const TrainingSchedule& schedule) {
  if (schedule.dtype != "auto") return schedule.dtype == "bfloat16" ? c10::kBFloat16 : c10::kFloat;
  return schedule.device == "cuda" || __builtin_cpu_supports("avx512bf16") ? c10::kBFloat16
                                                                           : c10::kFloat;
}

}  // namespace speclab::engines
