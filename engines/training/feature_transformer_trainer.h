#pragma once
#include <string>

#include "engines/models/llama/llama_config.h"
#include "engines/training/own_text.h"

namespace speclab::engines {

/// The target as a feature transformer needs it.
struct FeatureTarget {
  LlamaConfig config;
  std::string name, sha256;
  std::vector<float> embedding;  ///< [vocab, hidden]
  std::vector<float> head;       ///< [vocab, hidden]
};

/// Distils the target's law into a feature transformer and writes its folder: config.json, model.safetensors in bfloat16, training.csv.
///
/// The loss of a position is the cross-entropy to the target's law at temperature 1 over the draft vocabulary, exact from the target's
/// hidden states, plus feature_weight times the squared distance of the states, relative to the target's; further drafted tokens
/// weigh step_weight times as much each.
/// @param texts  with hidden states
/// @throws ConfigError if there is less text than a validation set and a batch, or fewer tokens than the draft vocabulary; WriteError
void train_feature_transformer(const std::vector<OwnText>& texts, const FeatureTarget& target, const TrainOptions& options, const TrainCallbacks& callbacks);

/// The `count` most frequent emitted tokens, ascending; ties go to the lower id, and tokens of the laws' tops fill up.
std::vector<Token> frequent_tokens(const std::vector<OwnText>& texts, std::int32_t vocab_size, std::int32_t count);

}  // namespace speclab::engines
