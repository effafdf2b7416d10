#pragma once
#include <memory>
#include <span>

#include "engines/training/torch/target_rows.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// Distils the target's law into the model that a feature transformer's configuration describes.
///
/// The loss of a position is that of options.distillation against the target's law at temperature 1
/// over the draft vocabulary, made from the target's hidden states in the schedule's dtype
/// (bfloat16 rounds a logit of 16 to 32 to steps of 1/8, without bias), plus feature_weight times
/// the squared distance of the states, relative to the target's; further drafted tokens weigh
/// step_weight times as much each.
/// @param target  its tables are copied @param options  whose schedule's seed makes the first
/// weights
std::unique_ptr<TrainingTask> feature_transformer_task(const DecoderShape& config,
                                                       const FeatureTarget& target,
                                                       const TrainOptions& options);

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
