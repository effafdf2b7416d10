#pragma once
#include <memory>

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

}  // namespace speclab::engines
