#include "engines/training/torch/feature_transformer_model.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// 0 where row j = queried[b][m] may look at row i <= j - steps, else minus infinity; [B, 1, M, R].
/// A row that may look at none looks at itself.
at::Tensor causal_mask(const at::Tensor& queried, std::int64_t rows, std::int64_t steps) {
  const auto i = at::arange(rows, queried.options()), j = queried.unsqueeze(1).unsqueeze(-1);
  const auto visible = (i <= j - steps) | ((i == j) & (j < steps));
  return at::zeros(visible.sizes(), visible.options().dtype(at::kFloat))
      .masked_fill_(~visible, -std::numeric_limits<float>::infinity());
}

}  // namespace

FeatureTransformerModel::FeatureTransformerModel(const DecoderShape& config,
                                                 const at::Tensor& embedding, std::uint64_t seed)
    : config_(config), embedding_(embedding) {
  at::manual_seed(seed);
  parameters_.add_norm("model.embedding_norm.weight", config.hidden_size);
  parameters_.add_norm("model.feature_norm.weight", config.feature_size);
  parameters_.add_matrix("model.fusion.weight", config.hidden_size,
                         config.hidden_size + config.feature_size);
  for (std::int32_t l = 0; l < config.num_layers; ++l)
    parameters_.add_layer(config, l, 1.0 / std::sqrt(2.0 * config.num_layers));
  parameters_.add_norm("model.norm.weight", config.hidden_size);
}

void FeatureTransformerModel::move_to(const at::Device& device) {
  parameters_.move_to(device);
  embedding_ = embedding_.to(device);
}

/// @param features  [..., feature], or [..., hidden]: a last state with no others
at::Tensor FeatureTransformerModel::fused(const at::Tensor& tokens,
                                          const at::Tensor& features) const {
  const double epsilon = config_.norm_epsilon;
  const std::int64_t present = features.size(-1) / config_.hidden_size,
                     missing = config_.feature_size - features.size(-1);
  const auto norms = parameters_["model.feature_norm.weight"]
                         .view({num_features(config_), config_.hidden_size})
                         .narrow(0, 0, present);
  const auto normed = at::constant_pad_nd(
      rms_norm(features.unflatten(-1, {present, config_.hidden_size}), norms, epsilon).flatten(-2),
      {0, missing});
  const auto embedded = rms_norm(at::embedding(embedding_, tokens),
                                 parameters_["model.embedding_norm.weight"], epsilon);
  return parameters_.linear(at::cat({embedded, normed}, -1), "model.fusion.weight");
}

at::Tensor FeatureTransformerModel::all_heads(const at::Tensor& heads) const {
  return heads.repeat_interleave(config_.num_heads / config_.num_kv_heads, 1);
}

void FeatureTransformerModel::append_past(const at::Tensor& x, const at::Tensor& positions,
                                          const std::string& prefix, LayerPast& past) const {
  past.keys.push_back(
      all_heads(rotated(project_heads(x, parameters_, prefix + "self_attn.k_proj.weight", config_),
                        positions, config_)));
  past.values.push_back(
      all_heads(project_heads(x, parameters_, prefix + "self_attn.v_proj.weight", config_)));
}

at::Tensor FeatureTransformerModel::attention(const at::Tensor& x, const at::Tensor& queried,
                                              const std::string& prefix,
                                              const LayerPast& past) const {
  const auto query =
      rotated(project_heads(x, parameters_, prefix + "self_attn.q_proj.weight", config_),
              queried.unsqueeze(1), config_);
  const auto step = static_cast<std::int64_t>(past.keys.size()) - 1, rows = past.keys[0].size(2);
  const double scale = std::sqrt(static_cast<double>(config_.head_dim));
  std::vector<at::Tensor> scores{at::matmul(query, past.keys[0].transpose(-1, -2)) / scale +
                                 causal_mask(queried, rows, step)};
  for (std::int64_t s = 1; s <= step; ++s)
    scores.push_back(
        (query * rows_moved_down(past.keys[static_cast<std::size_t>(s)], step - s)).sum(-1, true) /
        scale);
  const auto weights = at::softmax(at::cat(scores, -1), -1);
  auto mixed = at::matmul(weights.narrow(-1, 0, rows), past.values[0]);
  for (std::int64_t s = 1; s <= step; ++s)
    mixed = mixed + weights.narrow(-1, rows + s - 1, 1) *
                        rows_moved_down(past.values[static_cast<std::size_t>(s)], step - s);
  return parameters_.linear(
      mixed.transpose(1, 2).reshape({x.size(0), x.size(1), config_.query_size()}),
      prefix + "self_attn.o_proj.weight");
}

std::vector<at::Tensor> FeatureTransformerModel::unrolled(const FeatureRows& input,
                                                          int num_steps) const {
  const double epsilon = config_.norm_epsilon;
  std::vector<LayerPast> pasts(static_cast<std::size_t>(config_.num_layers));
  std::vector<at::Tensor> states;
  SPECLAB_EXPECT(config_.num_layers == 1 || input.queried.size(1) == input.tokens.size(1),
                 "all rows queried for more than one layer");
  const auto all_rows = at::arange(input.tokens.size(1), input.tokens.options()),
             queried_tokens = input.tokens.gather(1, input.queried);
  for (int step = 0; step < num_steps; ++step) {
    const bool first = step == 0;
    auto seen = first ? fused(input.tokens, input.hidden)
                      : fused(queried_tokens, rows_moved_down(states.back(), 1));
    auto x = first ? rows_taken(seen, input.queried) : seen;
    for (std::int32_t l = 0; l < config_.num_layers; ++l, seen = x) {
      const std::string prefix = layer_prefix(l);
      const auto& norm = parameters_[prefix + "input_layernorm.weight"];
      LayerPast& past = pasts[static_cast<std::size_t>(l)];
      append_past(rms_norm(seen, norm, epsilon),
                  first && l == 0 ? all_rows : input.queried.unsqueeze(1), prefix, past);
      x = x + attention(rms_norm(x, norm, epsilon), input.queried, prefix, past);
      x = x + feed_forward(
                  rms_norm(x, parameters_[prefix + "post_attention_layernorm.weight"], epsilon),
                  parameters_, prefix);
    }
    states.push_back(rms_norm(x, parameters_["model.norm.weight"], epsilon));
  }
  return states;
}

}  // namespace speclab::engines
