#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engines/training/torch/target_rows.h"
#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// What a drafter's scores cost beside what the target says, summed over rows; the scores become
/// the gradient of that.
/// @param loss  one of kLosses; "tokens" is the cross-entropy to `target`, as "forward_kl" is up to
/// the entropy of it
/// @param target  [rows, draft vocabulary]: the target's law, of mass up to 1, or for "tokens" 1 at
/// the token that came next, if it can be drafted
/// @param scores  [rows, draft vocabulary], float32
double loss_and_gradient(const std::string& loss, const at::Tensor& target, at::Tensor& scores);

/// What is common to drafters that read the target's hidden states: they are trained on several
/// drafted tokens in a row, each scored over a draft vocabulary against what the target says.
class HiddenStateTask : public TrainingTask {
 public:
  double backward(Texts texts) final;
  std::vector<Validation> validate(Texts texts) const final;
  const char* acceptance_name() const final { return "acceptance_rate"; }
  int num_steps() const final { return objective_.num_steps; }

 protected:
  struct Objective {
    std::string loss;       ///< one of kLosses
    int num_steps;          ///< drafted tokens in a row
    double step_weight;     ///< of each further one, relative to the one before
    double feature_weight;  ///< of the squared distance between the states and the target's next
                            ///< one, relative to that
  };
  HiddenStateTask(const Objective& objective, TargetRows target, at::ScalarType dtype,
                  const at::Device& device)
      : objective_(objective), target_(std::move(target)), dtype_(dtype), device_(device) {
    target_.move_to(device);
  }

  const TargetRows& target() const { return target_; }
  at::ScalarType dtype() const { return dtype_; }
  const at::Device& device() const { return device_; }

 private:
  static constexpr std::int64_t kChunk =
      256;  ///< positions whose scores are in the processor's cache together
  struct Step {
    at::Tensor head;             ///< [draft vocabulary, width], of dtype
    at::Tensor states;           ///< [N, width]
    at::Tensor states_gradient;  ///< [N, width]
  };
  struct Rows {  ///< of a batch that are met together
    std::int64_t first, count;
    at::Tensor wanted;  ///< [count, draft vocabulary]
  };

  /// On the processor.
  virtual FeatureBatch batch_of(Texts texts) const = 0;
  /// States of the queried rows in each step, [B, M, width].
  virtual std::vector<at::Tensor> unrolled(const FeatureRows& input) const = 0;
  /// What the states of a step are multiplied by for their scores, [draft vocabulary, width],
  /// float32.
  virtual at::Tensor head(int step) const = 0;
  /// The same in dtype.
  virtual at::Tensor rounded_head(int step) const { return head(step).to(dtype_); }
  /// Adds to the gradient of that, where it is trained.
  virtual void add_head_gradient(int /*step*/, const at::Tensor& /*scores_gradient*/,
                                 const at::Tensor& /*states*/) {}

  std::vector<at::Tensor> states_of(const FeatureBatch& batch) const;
  double add_gradients(const FeatureBatch& batch, const Rows& rows, std::vector<Step>& steps);
  double add_gradient(const FeatureBatch& batch, const Rows& rows, int number, Step& step,
                      double weight);
  void validate_rows(const FeatureBatch& batch, std::int64_t first, int step,
                     const at::Tensor& states, Validation& sum) const;

  Objective objective_;
  TargetRows target_;
  at::ScalarType dtype_;
  at::Device device_;
};

/// A training of a drafter that reads hidden states, but for the schedule.
struct HiddenStateTraining {
  const TextSplit& texts;
  TrainingTask& task;
  TargetName target;
  std::string digest;                ///< of all that the steps depend on
  nlohmann::ordered_json objective;  ///< for the manifest
};

/// Trains, from where distillation.start_from ended if it is given, and writes config.json,
/// model.safetensors in bfloat16, training.csv and manifest.json, which holds the other's manifest
/// too. @param write_config  of config.json
/// @throws ConfigError if there is less text than a validation set and a batch; WriteError
void train_hidden_state_drafter(const HiddenStateTraining& training, const TrainOptions& options,
                                const TrainCallbacks& callbacks,
                                const std::function<void(const std::string& path)>& write_config);

/// Of everything in the options that the steps depend on.
std::string distillation_digest(const DistillationOptions& options);

}  // namespace speclab::engines
