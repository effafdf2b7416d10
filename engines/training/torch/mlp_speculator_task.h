#pragma once
#include <memory>

#include "engines/models/mlp_speculator_config.h"
#include "engines/training/torch/target_rows.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// Trains the stages together on the loss of options.distillation, each as much as the others,
/// against the target's law at temperature 1 over the draft vocabulary or its emitted tokens.
/// @source IBM 2024, released code of the MLP speculator: the sum over heads of their losses
std::unique_ptr<TrainingTask> mlp_speculator_task(const MlpSpeculatorConfig& config,
                                                  const FeatureTarget& target,
                                                  const TrainOptions& options);

}  // namespace speclab::engines
