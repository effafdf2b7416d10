#include "engines/training/torch/mlp_speculator_trainer.h"

#include <fmt/format.h>

#include "engines/training/draft_tokens.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/hidden_state_trainer.h"
#include "engines/training/torch/mlp_speculator_model.h"
#include "engines/training/torch/training_device.h"
#include "sim/system/sha256.h"

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

MlpSpeculatorConfig drafter_config(const FeatureTarget& target, const MlpSpeculatorOptions& options,
                                   std::vector<Token> draft_vocabulary) {
  return {.name = {},
          .vocab_size = target.config.vocab_size,
          .base_hidden_size = target.config.hidden_size,
          .inner_size = options.inner_size,
          .num_heads = options.num_heads,
          .is_tied = options.is_tied,
          .scales_input = options.scales_input,
          .draft_vocabulary = std::move(draft_vocabulary),
          .target = target.name,
          .target_sha256 = target.sha256};
}

std::string mlp_digest(const TextSplit& texts, const FeatureTarget& target,
                       const TrainOptions& options) {
  const MlpSpeculatorOptions& o = options.mlp_speculator;
  return sha256_text(fmt::format(
      "mlp {} {} {} {} {} {} {}", target.sha256, o.num_heads, o.inner_size, o.is_tied,
      o.scales_input, distillation_digest(options.distillation), training_digest(texts, options)));
}

}  // namespace

std::unique_ptr<TrainingTask> mlp_speculator_task(const MlpSpeculatorConfig& config,
                                                  const FeatureTarget& target,
                                                  const TrainOptions& options) {
  return std::make_unique<MlpSpeculatorTask>(config, target, options,
                                             product_dtype(options.schedule));
}

void check_mlp_speculator_start(const TrainOptions& options, const std::string& target_sha256) {
  const std::string& folder = options.distillation.start_from;
  if (folder.empty()) return;
  check_start_folder(options, is_mlp_speculator_folder);
  const MlpSpeculatorConfig found = read_mlp_speculator_config(config_file(folder));
  const MlpSpeculatorOptions& o = options.mlp_speculator;
  check_start_shape(
      folder,
      {found.target_sha256,
       {{"drafter.num_heads", o.num_heads, found.num_heads},
        {"drafter.inner_size", o.inner_size, found.inner_size},
        {"drafter.is_tied", o.is_tied, found.is_tied},
        {"drafter.scales_input", o.scales_input, found.scales_input},
        {"drafter.draft_vocabulary", options.distillation.draft_vocabulary, found.num_logits()}}},
      target_sha256);
}

void train_mlp_speculator(const std::vector<OwnText>& texts, const FeatureTarget& target,
                          const TrainOptions& options, const TrainCallbacks& callbacks) {
  const std::string& start = options.distillation.start_from;
  check_mlp_speculator_start(options, target.sha256);
  const TextSplit split = split_texts(texts, options);
  const MlpSpeculatorConfig config =
      start.empty() ? drafter_config(target, options.mlp_speculator,
                                     draft_tokens(split.training, target.config.vocab_size,
                                                  options.distillation))
                    : read_mlp_speculator_config(config_file(start));
  const std::unique_ptr<TrainingTask> task = mlp_speculator_task(config, target, options);
  train_hidden_state_drafter({split,
                              *task,
                              {target.name, target.sha256},
                              mlp_digest(split, target, options),
                              {{"loss", options.distillation.loss}}},
                             options, callbacks, [&](const std::string& path) {
                               write_mlp_speculator_config(config, path);
                             });
}

}  // namespace speclab::engines
