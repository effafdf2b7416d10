#pragma once
// Where a training's tensors are and in what numbers it multiplies.

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "engines/interface/training.h"

namespace speclab::engines {

/// To be called before anything else is asked of libtorch, which looks for CUDA once, at the first
/// question.
/// @throws DeviceError if it is a CUDA device, and libtorch comes without CUDA or finds none
c10::Device training_device(const TrainingSchedule& schedule);
/// The same, for what is not there is better known before the text is made.
void check_training_device(const TrainingSchedule& schedule);
/// What TrainingSchedule::dtype means on its device.
c10::ScalarType product_dtype(const TrainingSchedule& schedule);

}  // namespace speclab::engines
