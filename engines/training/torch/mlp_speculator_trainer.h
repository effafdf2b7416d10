#pragma once
#include "engines/training/torch/mlp_speculator_task.h"

namespace speclab::engines {

/// Trains an MLP speculator and writes its folder: config.json, model.safetensors in bfloat16,
/// training.csv, manifest.json.
/// @see mlp_speculator_task for the loss
/// @param texts  with hidden states
/// @throws ConfigError if there is less text than a validation set and a batch; WriteError
void train_mlp_speculator(const std::vector<OwnText>& texts, const FeatureTarget& target,
                          const TrainOptions& options, const TrainCallbacks& callbacks);

/// What can be known of distillation.start_from before the own text is made: its config.json,
/// weights and manifest.json.
/// @throws ConfigError if it is of another target or shape; ModelFileError
void check_mlp_speculator_start(const TrainOptions& options, const std::string& target_sha256);

}  // namespace speclab::engines
