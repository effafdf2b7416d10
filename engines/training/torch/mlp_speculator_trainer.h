#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "engines/models/mlp_speculator_config.h"
#include "engines/training/torch/feature_transformer_model.h"
#include "engines/training/torch/target_rows.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// The MLP speculator as autograd sees it: the same mathematics as MlpSpeculatorCpu over whole
/// sequences.
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

/// Trains the stages together on the loss of options.distillation, each as much as the others,
/// against the target's law at temperature 1 over the draft vocabulary or its emitted tokens.
/// @source IBM 2024, released code of the MLP speculator: the sum over heads of their losses
std::unique_ptr<TrainingTask> mlp_speculator_task(const MlpSpeculatorConfig& config,
                                                  const FeatureTarget& target,
                                                  const TrainOptions& options);

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
