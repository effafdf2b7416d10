#pragma once
// The MLP speculator as autograd sees it: the same mathematics as MlpSpeculatorCpu over whole
// sequences.

#include <ATen/core/Tensor.h>

#include <vector>

#include "engines/models/mlp_speculator_config.h"
#include "engines/training/torch/feature_transformer_model.h"

namespace speclab::engines {

class MlpSpeculatorModel {
 public:
  /// Matrices are drawn with a standard deviation of 1 / sqrt(inner), as released.
  MlpSpeculatorModel(const MlpSpeculatorConfig& config, std::uint64_t seed);

  const MlpSpeculatorConfig& config() const { return config_; }
  Parameters& parameters() { return parameters_; }

  void move_to(const at::Device& device);
  /// States of the queried rows behind every stage, [B, M, inner]: in stage s row j began at the
  /// target's state after token j - s. The first s of the rows mean nothing.
  std::vector<at::Tensor> unrolled(const FeatureRows& input) const;
  /// What the states of a stage are multiplied by, [num_logits, inner].
  const at::Tensor& head(int stage) const { return parameters_[config_.head(stage)]; }

 private:
  at::Tensor stage(int number, const at::Tensor& state, const at::Tensor& embedding_rows) const;

  MlpSpeculatorConfig config_;
  double mix_ratio_;
  at::Tensor embedding_rows_;  ///< [vocab]
  Parameters parameters_;
};

}  // namespace speclab::engines
