#include "engines/training/torch/small_transformer_model.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>

#include "engines/training/torch/target_rows.h"

namespace speclab::engines {

SmallTransformerModel::SmallTransformerModel(const DecoderShape& config,
                                             const at::Tensor& embedding, std::uint64_t seed)
    : config_(config) {
  if (!config.draft_vocabulary.empty()) draft_vocabulary_ = tokens_tensor(config.draft_vocabulary);
  at::manual_seed(seed);
  parameters_.add("model.embed_tokens.weight", embedding, Parameters::Use::table);
  for (std::int32_t l = 0; l < config.num_layers; ++l)
    parameters_.add_layer(config, l, 1.0 / std::sqrt(2.0 * config.num_layers));
  parameters_.add_norm("model.norm.weight", config.hidden_size);
}

void SmallTransformerModel::move_to(const at::Device& device) {
  parameters_.move_to(device);
  if (draft_vocabulary_.defined()) draft_vocabulary_ = draft_vocabulary_.to(device);
}

at::Tensor SmallTransformerModel::attention(const at::Tensor& x, const std::string& prefix) const {
  const auto positions = at::arange(x.size(1), x.options().dtype(at::kDouble));
  const auto query =
      rotated(project_heads(x, parameters_, prefix + "self_attn.q_proj.weight", config_), positions,
              config_);
  const auto key =
      rotated(project_heads(x, parameters_, prefix + "self_attn.k_proj.weight", config_), positions,
              config_);
  const auto value = project_heads(x, parameters_, prefix + "self_attn.v_proj.weight", config_);
  const auto mixed = at::scaled_dot_product_attention(
      query, key, value, {}, 0.0, true, std::nullopt, config_.num_kv_heads != config_.num_heads);
  return parameters_.linear(
      mixed.transpose(1, 2).reshape({x.size(0), x.size(1), config_.query_size()}),
      prefix + "self_attn.o_proj.weight");
}

at::Tensor SmallTransformerModel::hidden(const at::Tensor& tokens) const {
  const double epsilon = config_.norm_epsilon;
  auto x = at::embedding(parameters_["model.embed_tokens.weight"], tokens);
  for (std::int32_t l = 0; l < config_.num_layers; ++l) {
    const std::string prefix = layer_prefix(l);
    x = x + attention(rms_norm(x, parameters_[prefix + "input_layernorm.weight"], epsilon), prefix);
    x = x +
        feed_forward(rms_norm(x, parameters_[prefix + "post_attention_layernorm.weight"], epsilon),
                     parameters_, prefix);
  }
  return rms_norm(x, parameters_["model.norm.weight"], epsilon);
}

at::Tensor SmallTransformerModel::head() const {
  const at::Tensor& table = parameters_["model.embed_tokens.weight"];
  return draft_vocabulary_.defined() ? table.index_select(0, draft_vocabulary_) : table;
}

void SmallTransformerModel::add_head_gradient(const at::Tensor& gradient, double scale) {
  at::Tensor& of_table = parameters_["model.embed_tokens.weight"].mutable_grad();
  if (draft_vocabulary_.defined())
    of_table.index_add_(0, draft_vocabulary_, gradient, scale);
  else
    of_table.add_(gradient, scale);
}

}  // namespace speclab::engines
