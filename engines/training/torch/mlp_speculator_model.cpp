#include "engines/training/torch/mlp_speculator_model.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <numbers>

namespace speclab::engines {
namespace {

constexpr double kEpsilon = 1e-6;

at::Tensor normed(const at::Tensor& x) { return x * at::rsqrt(x.pow(2).mean(-1, true) + kEpsilon); }

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

}  // namespace speclab::engines
