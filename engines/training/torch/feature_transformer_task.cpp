#include "engines/training/torch/feature_transformer_task.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include "engines/training/torch/feature_transformer_model.h"
#include "engines/training/torch/hidden_state_task.h"
#include "engines/training/torch/training_device.h"

namespace speclab::engines {
namespace {

class FeatureTransformerTask final : public HiddenStateTask {
 public:
  FeatureTransformerTask(const DecoderShape& config, const FeatureTarget& target,
                         const TrainOptions& options, at::ScalarType dtype)
      : HiddenStateTask(
            objective_of(options),
            TargetRows(target, config.draft_vocabulary, options.distillation.loss, dtype), dtype,
            training_device(options.schedule)),
        model_(config,
               at::from_blob(const_cast<float*>(target.embedding.data()),
                             {config.vocab_size, config.hidden_size}, at::kFloat)
                   .clone(),
               options.schedule.seed) {
    model_.parameters().set_dtype(dtype);
    model_.move_to(device());
  }

  Parameters& parameters() override { return model_.parameters(); }

 private:
  static Objective objective_of(const TrainOptions& options) {
    const FeatureTransformerOptions& o = options.feature_transformer;
    return {options.distillation.loss, o.unrolled_steps, o.step_weight, o.feature_weight};
  }

  /// With one layer only what is drafted is queried; the keys of a second layer need the first
  /// one's states everywhere.
  FeatureBatch batch_of(Texts texts) const override {
    const DecoderShape& config = model_.config();
    return make_feature_batch(texts, {config.feature_size, config.hidden_size},
                              config.num_layers == 1 ? num_steps() - 1 : config.context_length);
  }
  std::vector<at::Tensor> unrolled(const FeatureRows& input) const override {
    return model_.unrolled(input, num_steps());
  }
  at::Tensor head(int) const override { return target().head(); }
  at::Tensor rounded_head(int) const override { return target().rounded_head(); }

  FeatureTransformerModel model_;
};

}  // namespace

std::unique_ptr<TrainingTask> feature_transformer_task(const DecoderShape& config,
                                                       const FeatureTarget& target,
                                                       const TrainOptions& options) {
  return std::make_unique<FeatureTransformerTask>(config, target, options,
                                                  product_dtype(options.schedule));
}

}  // namespace speclab::engines
