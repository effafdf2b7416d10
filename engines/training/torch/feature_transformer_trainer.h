#pragma once
#include <span>

#include "engines/training/torch/feature_transformer_task.h"

namespace speclab::engines {

/// Distils the target's law into a feature transformer and writes its folder: config.json, model.safetensors in bfloat16, training.csv,
/// manifest.json.
/// @see feature_transformer_task for the loss
/// @param texts  with hidden states
/// @throws ConfigError if there is less text than a validation set and a batch; WriteError
void train_feature_transformer(const std::vector<OwnText>& texts, const FeatureTarget& target, const TrainOptions& options, const TrainCallbacks& callbacks);

/// What can be known of options.start_from before the own text is made: its config.json, weights and manifest.json.
/// @throws ConfigError if it is of another target or shape; ModelFileError
void check_start(const FeatureTransformerOptions& options, const std::string& target_sha256);

/// The `count` tokens that the texts' laws and their draws give the most weight, ascending; ties go to the lower id.
std::vector<Token> frequent_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size, std::int32_t count);

}  // namespace speclab::engines
