#include "engines/training/small_transformer_model.h"

#include <torch/torch.h>

#include <cmath>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon) {
  return x * torch::rsqrt(x.pow(2).mean(-1, true) + epsilon) * weight;
}

std::string layer_prefix(std::int32_t layer) { return "model.layers." + std::to_string(layer) + "."; }

}  // namespace

SmallTransformerModel::SmallTransformerModel(const LlamaConfig& config, const at::Tensor& embedding, std::uint64_t seed) : config_(config) {
  torch::manual_seed(seed);
  const auto add = [this](const std::string& name, const torch::Tensor& value, bool decays) {
    parameters_.push_back({name, value.clone().set_requires_grad(true), decays});
  };
  const auto matrix = [](std::int64_t out, std::int64_t in, double scale) { return torch::randn({out, in}) * (scale / std::sqrt(static_cast<double>(in))); };
  const double residual_scale = 1.0 / std::sqrt(2.0 * config.num_layers);
  const std::int64_t h = config.hidden_size;
  add("model.embed_tokens.weight", embedding, true);
  for (std::int32_t l = 0; l < config.num_layers; ++l) {
    const std::string p = layer_prefix(l);
    add(p + "input_layernorm.weight", torch::ones({h}), false);
    add(p + "self_attn.q_proj.weight", matrix(config.query_size(), h, 1.0), true);
    add(p + "self_attn.k_proj.weight", matrix(config.kv_size(), h, 1.0), true);
    add(p + "self_attn.v_proj.weight", matrix(config.kv_size(), h, 1.0), true);
    add(p + "self_attn.o_proj.weight", matrix(h, config.query_size(), residual_scale), true);
    add(p + "post_attention_layernorm.weight", torch::ones({h}), false);
    add(p + "mlp.gate_proj.weight", matrix(config.intermediate_size, h, 1.0), true);
    add(p + "mlp.up_proj.weight", matrix(config.intermediate_size, h, 1.0), true);
    add(p + "mlp.down_proj.weight", matrix(h, config.intermediate_size, residual_scale), true);
  }
  add("model.norm.weight", torch::ones({h}), false);
}

const at::Tensor& SmallTransformerModel::at(const std::string& name) const {
  for (const Parameter& parameter : parameters_)
    if (parameter.name == name) return parameter.value;
  throw ContractError("no parameter '" + name + "'");
}

/// Rotary positions 0, 1, ... over [B, heads, T, head_dim]; pairs are (i, i + head_dim / 2).
at::Tensor SmallTransformerModel::rotated(const at::Tensor& heads) const {
  const std::int64_t half = config_.head_dim / 2;
  const auto frequency = torch::pow(static_cast<double>(config_.rope_theta), -torch::arange(half, torch::kDouble) * 2.0 / config_.head_dim);
  const auto angle = torch::outer(torch::arange(heads.size(2), torch::kDouble), frequency).to(torch::kFloat);
  const auto cosine = angle.cos(), sine = angle.sin();
  const auto low = heads.narrow(-1, 0, half), high = heads.narrow(-1, half, half);
  return torch::cat({low * cosine - high * sine, high * cosine + low * sine}, -1);
}

at::Tensor SmallTransformerModel::attention(const at::Tensor& x, const std::string& prefix) const {
  const std::int64_t batch = x.size(0), length = x.size(1);
  const auto heads = [&](const char* name, std::int64_t count) {
    return torch::linear(x, at(prefix + name)).view({batch, length, count, config_.head_dim}).transpose(1, 2);
  };
  const auto query = rotated(heads("self_attn.q_proj.weight", config_.num_heads));
  const auto key = rotated(heads("self_attn.k_proj.weight", config_.num_kv_heads));
  const auto value = heads("self_attn.v_proj.weight", config_.num_kv_heads);
  const auto mixed = at::scaled_dot_product_attention(query, key, value, {}, 0.0, true, std::nullopt, config_.num_kv_heads != config_.num_heads);
  return torch::linear(mixed.transpose(1, 2).reshape({batch, length, config_.query_size()}), at(prefix + "self_attn.o_proj.weight"));
}

at::Tensor SmallTransformerModel::feed_forward(const at::Tensor& x, const std::string& prefix) const {
  const auto gate = torch::silu(torch::linear(x, at(prefix + "mlp.gate_proj.weight")));
  return torch::linear(gate * torch::linear(x, at(prefix + "mlp.up_proj.weight")), at(prefix + "mlp.down_proj.weight"));
}

at::Tensor SmallTransformerModel::hidden(const at::Tensor& tokens) const {
  const double epsilon = config_.rms_epsilon;
  auto x = torch::embedding(at("model.embed_tokens.weight"), tokens);
  for (std::int32_t l = 0; l < config_.num_layers; ++l) {
    const std::string prefix = layer_prefix(l);
    x = x + attention(rms_norm(x, at(prefix + "input_layernorm.weight"), epsilon), prefix);
    x = x + feed_forward(rms_norm(x, at(prefix + "post_attention_layernorm.weight"), epsilon), prefix);
  }
  return rms_norm(x, at("model.norm.weight"), epsilon);
}

at::Tensor SmallTransformerModel::logits(const at::Tensor& hidden) const { return torch::linear(hidden, at("model.embed_tokens.weight")); }

}  // namespace speclab::engines
