#include "engines/training/torch/mlp_speculator_task.h"

#include "engines/training/torch/hidden_state_task.h"
#include "engines/training/torch/mlp_speculator_model.h"
#include "engines/training/torch/training_device.h"

namespace speclab::engines {
namespace {

class MlpSpeculatorTask final : public HiddenStateTask {
 public:
  MlpSpeculatorTask(const MlpSpeculatorConfig& config, const FeatureTarget& target,
                    const TrainOptions& options, at::ScalarType dtype)
      : HiddenStateTask(
            {options.distillation.loss, config.num_heads, 1, 0},
            TargetRows(target, config.draft_vocabulary, options.distillation.loss, dtype), dtype,
            training_device(options.schedule)),
        model_(config, options.schedule.seed) {
    model_.parameters().set_dtype(dtype);
    model_.move_to(device());
  }

  Parameters& parameters() override { return model_.parameters(); }

 private:
  FeatureBatch batch_of(Texts texts) const override {
    return make_feature_batch(texts,
                              {model_.config().base_hidden_size, model_.config().base_hidden_size},
                              num_steps() - 1);
  }
  std::vector<at::Tensor> unrolled(const FeatureRows& input) const override {
    return model_.unrolled(input);
  }
  at::Tensor head(int step) const override { return model_.head(step); }
  void add_head_gradient(int step, const at::Tensor& scores_gradient,
                         const at::Tensor& states) override {
    at::Tensor& gradient = model_.parameters()[model_.config().head(step)].mutable_grad();
    const at::Tensor added = product(scores_gradient.t(), states, dtype());
    if (gradient.defined())
      gradient.add_(added);
    else
      gradient = added;
  }

  MlpSpeculatorModel model_;
};

}  // namespace

std::unique_ptr<TrainingTask> mlp_speculator_task(const MlpSpeculatorConfig& config,
                                                  const FeatureTarget& target,
                                                  const TrainOptions& options) {
  return std::make_unique<MlpSpeculatorTask>(config, target, options,
                                             product_dtype(options.schedule));
}

}  // namespace speclab::engines
