#include "engines/training/torch/training_device.h"

#include "engines/reference/cuda_device.h"

namespace speclab::engines {

c10::Device training_device(const TrainingSchedule& schedule) {
  return schedule.device == "cpu" ? c10::Device(c10::kCPU)
                                  : torch_cuda_device("drafter.device = 'cuda'");
}

void check_training_device(const TrainingSchedule& schedule) { training_device(schedule); }

c10::ScalarType product_dtype(const TrainingSchedule& schedule) {
  if (schedule.dtype != "auto") return schedule.dtype == "bfloat16" ? c10::kBFloat16 : c10::kFloat;
  return schedule.device == "cuda" || __builtin_cpu_supports("avx512bf16") ? c10::kBFloat16
                                                                           : c10::kFloat;
}

}  // namespace speclab::engines
