#pragma once
#include <span>

#include "engines/training/torch/feature_transformer_task.h"

namespace speclab::engines {

/// Distils the target's law into a feature transformer and writes its folder: config.json,
/// model.safetensors in bfloat16, training.csv, manifest.json.
/// @see feature_transformer_task for the loss
/// @param texts  with hidden states
/// @throws ConfigError if there is less text than a validation set and a batch; WriteError
void train_feature_transformer(const std::vector<OwnText>& texts, const FeatureTarget& target,
                               const TrainOptions& options, const TrainCallbacks& callbacks);

/// What can be known of distillation.start_from before the own text is made: its config.json,
/// weights and manifest.json.
/// @throws ConfigError if it is of another target or shape; ModelFileError
void check_feature_transformer_start(const TrainOptions& options, const std::string& target_sha256);

}  // namespace speclab::engines
