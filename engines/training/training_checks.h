#pragma once
#include "engines/interface/language_model.h"
#include "engines/interface/training.h"

namespace speclab::engines {

/// Everything that can be known before the target's own text is made, which takes long.
/// @throws ConfigError naming the first option that is out of range or does not fit the target
void check_training(const TrainOptions& options, const ModelInfo& target);

}  // namespace speclab::engines
