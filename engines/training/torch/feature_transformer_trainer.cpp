#include "engines/training/torch/feature_transformer_trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engines/families/feature_transformer.h"
#include "engines/training/draft_tokens.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_transformer_model.h"
#include "engines/training/torch/hidden_state_trainer.h"
#include "engines/training/torch/training_device.h"
#include "sim/system/sha256.h"

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

DecoderShape drafter_config(const DecoderShape& target, const FeatureTransformerOptions& options,
                            std::vector<Token> draft_vocabulary) {
  DecoderShape config = target;
  config.num_layers = options.num_layers;
  config.intermediate_size = options.intermediate_size;
  config.feature_size =
      target.hidden_size *
      (1 + (options.reads_layers ? static_cast<std::int32_t>(target.state_layers().size()) : 0));
  config.draft_vocabulary = std::move(draft_vocabulary);
  config.tied_embeddings = false;
  config.validate("the drafter's shape");
  return config;
}

std::string feature_digest(const TextSplit& texts, const FeatureTarget& target,
                           const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  return sha256_text(fmt::format("{} {} {} {} {} {} {} {} {}", target.sha256, o.reads_layers,
                                 o.num_layers, o.intermediate_size, o.unrolled_steps, o.step_weight,
                                 o.feature_weight, distillation_digest(options.distillation),
                                 training_digest(texts, options)));
}

nlohmann::ordered_json objective_json(const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  return {{"loss", options.distillation.loss},
          {"reads_layers", o.reads_layers},
          {"unrolled_steps", o.unrolled_steps},
          {"step_weight", o.step_weight},
          {"feature_weight", o.feature_weight}};
}

}  // namespace

std::unique_ptr<TrainingTask> feature_transformer_task(const DecoderShape& config,
                                                       const FeatureTarget& target,
                                                       const TrainOptions& options) {
  return std::make_unique<FeatureTransformerTask>(config, target, options,
                                                  product_dtype(options.schedule));
}

void check_feature_transformer_start(const TrainOptions& options,
                                     const std::string& target_sha256) {
  const std::string& folder = options.distillation.start_from;
  if (folder.empty()) return;
  check_start_folder(options, is_feature_transformer_folder);
  const FeatureTransformerConfig found = read_feature_transformer_config(config_file(folder));
  const FeatureTransformerOptions& o = options.feature_transformer;
  check_start_shape(
      folder,
      {found.target_sha256,
       {{"drafter.reads_layers", o.reads_layers, num_features(found.shape) > 1},
        {"drafter.num_layers", o.num_layers, found.shape.num_layers},
        {"drafter.intermediate_size", o.intermediate_size, found.shape.intermediate_size},
        {"drafter.draft_vocabulary", options.distillation.draft_vocabulary,
         static_cast<std::int64_t>(found.shape.draft_vocabulary.size())}}},
      target_sha256);
}

void train_feature_transformer(const std::vector<OwnText>& texts, const FeatureTarget& target,
                               const TrainOptions& options, const TrainCallbacks& callbacks) {
  const std::string& start = options.distillation.start_from;
  check_feature_transformer_start(options, target.sha256);
  const TextSplit split = split_texts(texts, options);
  const DecoderShape config =
      start.empty() ? drafter_config(target.config, options.feature_transformer,
                                     draft_tokens(split.training, target.config.vocab_size,
                                                  options.distillation))
                    : read_feature_transformer_config(config_file(start)).shape;
  const std::unique_ptr<TrainingTask> task = feature_transformer_task(config, target, options);
  train_hidden_state_drafter({split,
                              *task,
                              {target.name, target.sha256},
                              feature_digest(split, target, options),
                              objective_json(options)},
                             options, callbacks, [&](const std::string& path) {
                               write_feature_transformer_config(
                                   {config, target.name, target.sha256}, path);
                             });
}

}  // namespace speclab::engines
