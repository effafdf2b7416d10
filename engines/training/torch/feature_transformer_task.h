#pragma once
#include <memory>
#include <string>

#include "engines/models/llama/llama_config.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// The target as a feature transformer needs it.
struct FeatureTarget {
  LlamaConfig config;
  std::string name, sha256;
  std::vector<float> embedding;  ///< [vocab, hidden]
  std::vector<float> head;       ///< [vocab, hidden]
};

/// Distils the target's law into the model that a feature transformer's configuration describes.
///
/// The loss of a position is the cross-entropy to the target's law at temperature 1 over the draft vocabulary, made from the target's
/// hidden states in the schedule's dtype (bfloat16 rounds a logit of 16 to 32 to steps of 1/8, without bias), plus feature_weight times
/// the squared distance of the states, relative to the target's; further drafted tokens weigh step_weight times as much each.
/// @param target  its tables are copied @param options  whose schedule's seed makes the first weights
std::unique_ptr<TrainingTask> feature_transformer_task(const LlamaConfig& config, const FeatureTarget& target, const TrainOptions& options);

}  // namespace speclab::engines
