#pragma once
#include "engines/interface/language_model.h"
#include "engines/interface/training.h"

namespace speclab::engines {

/// Of drafters of a target: everything that can be known before the target's own text is made,
/// which takes long.
/// @throws ConfigError naming the first option that is out of range or does not fit the target
void check_training(const TrainOptions& options, const ModelInfo& target);

/// The same for a language model. @throws ConfigError likewise
void check_language_model(const TrainOptions& options);

}  // namespace speclab::engines
