#pragma once
// Shapes, folders and trainings of a drafter that reads a tiny target's hidden states.

#include <ATen/core/Tensor.h>

#include <span>
#include <string>

#include "engines/training/torch/feature_transformer_model.h"
#include "tests/engines/training/tiny_target.h"

namespace speclab::engines::testing {

/// Of the target's width; it reads all states of the target and can draft every third token.
DecoderShape feature_config(const DecoderShape& target, std::int32_t num_layers);
/// [values / columns, columns], a copy.
at::Tensor as_tensor(std::span<const float> values, std::int64_t columns);
/// A model with weights that bfloat16 holds, written as its folder.
FeatureTransformerModel written_model(const TinyTarget& target, const DecoderShape& config,
                                      const std::string& folder);
/// A training that takes seconds.
TrainOptions train_options(const std::string& folder);

}  // namespace speclab::engines::testing
