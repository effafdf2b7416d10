#include "engines/training/torch/mlp_speculator_trainer.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "engines/training/draft_tokens.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/hidden_state_trainer.h"
#include "engines/training/torch/training_device.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

constexpr double kEpsilon = 1e-6;

at::Tensor normed(const at::Tensor& x) { return x * at::rsqrt(x.pow(2).mean(-1, true) + kEpsilon); }

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

MlpSpeculatorModel::MlpSpeculatorModel(const MlpSpeculatorConfig& config, std::uint64_t seed)
    : config_(config), mix_ratio_(config.mix_ratio()) {
  at::manual_seed(seed);
  const std::vector<std::int32_t> rows = config.embedding_rows();
  embedding_rows_ = at::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()));
  const double deviation = 1 / std::sqrt(static_cast<double>(config.inner_size));
  const auto add = [&](const std::string& name, std::int64_t out, Parameters::Use use) {
    const std::int64_t in =
        name == config.projection(0) ? config.base_hidden_size : config.inner_size;
    if (!parameters_.contains(name)) parameters_.add(name, at::randn({out, in}) * deviation, use);
  };
  for (std::int32_t stage = 0; stage < config.num_heads; ++stage) {
    add(config.projection(stage), config.inner_size, Parameters::Use::product);
    add(config.embedding(stage), config.num_embeddings(), Parameters::Use::table);
    add(config.head(stage), config.num_logits(), Parameters::Use::table);
    if (parameters_.contains(config.scale(stage))) continue;
    parameters_.add(config.scale(stage), at::ones({config.inner_size}), Parameters::Use::norm);
    parameters_.add(config.shift(stage), at::zeros({config.inner_size}), Parameters::Use::norm);
  }
}

void MlpSpeculatorModel::move_to(const at::Device& device) {
  parameters_.move_to(device);
  embedding_rows_ = embedding_rows_.to(device);
}

at::Tensor MlpSpeculatorModel::stage(int number, const at::Tensor& state,
                                     const at::Tensor& embedding_rows) const {
  const auto embedded = at::embedding(parameters_[config_.embedding(number)], embedding_rows);
  const auto mixed = parameters_.linear(state, config_.projection(number)) + embedded * mix_ratio_;
  return at::gelu(normed(mixed) * parameters_[config_.scale(number)] +
                  parameters_[config_.shift(number)]);
}

std::vector<at::Tensor> MlpSpeculatorModel::unrolled(const FeatureRows& input) const {
  const auto rows = embedding_rows_.index_select(0, input.tokens.gather(1, input.queried).flatten())
                        .view(input.queried.sizes());
  auto state = rows_taken(input.hidden, input.queried);
  if (config_.scales_input) state = normed(state) / std::numbers::sqrt2;
  std::vector<at::Tensor> states;
  for (int number = 0; number < config_.num_heads; ++number) {
    states.push_back(stage(number, state, rows));
    state = rows_moved_down(states.back(), 1);
  }
  return states;
}

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
