// The parts of a layer, as their papers write them.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "engines/reference/decoder_torch.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

at::Tensor soft_capped(const at::Tensor& values, float cap) {
  return cap == 0 ? values : (values / cap).tanh() * cap;
}

}  // namespace

at::Tensor DecoderTorch::normed(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor* bias) const {
  const bool is_layer = config_.norm == NormKind::layer;
  const at::Tensor centred = is_layer ? x - x.mean(-1, true) : x;
  const double zeros_left_out =
      static_cast<double>(config_.hidden_size) / static_cast<double>(config_.counting_width());
  const at::Tensor scale = at::rsqrt(centred.pow(2).mean(-1, true) * zeros_left_out +
                                     static_cast<double>(config_.norm_epsilon));
  const at::Tensor gained = centred * scale * weight;
  return bias == nullptr ? gained : gained + *bias;
}

at::Tensor DecoderTorch::norm(const at::Tensor& x, TensorRole weight, TensorRole bias,
                              std::int32_t layer) const {
  return normed(x, tensor(weight, layer), has(bias, layer) ? &tensor(bias, layer) : nullptr);
}

at::Tensor DecoderTorch::product(const at::Tensor& x, const at::Tensor& weight) const {
  return at::linear(x.to(options_.dtype()), weight).to(at::kFloat);
}

at::Tensor DecoderTorch::project(const at::Tensor& x, TensorRole weight, TensorRole bias,
                                 std::int32_t layer) const {
  const at::Tensor out = product(x, tensor(weight, layer));
  return bias != weight && has(bias, layer) ? out + tensor(bias, layer) : out;
}

at::Tensor DecoderTorch::activated(const at::Tensor& x) const {
  switch (config_.activation) {
    case Activation::silu:
      return at::silu(x);
    case Activation::gelu:
      return at::gelu(x, "none");
    case Activation::gelu_tanh:
      return at::gelu(x, "tanh");
    case Activation::relu:
      return x.relu();
  }
  return x;
}

/// A row's residual stream before the first layer.
at::Tensor DecoderTorch::embed(const Rows& rows) const {
  at::Tensor x = tensor(embedding, 0).index_select(0, rows.tokens).to(at::kFloat) *
                 static_cast<double>(config_.embedding_scale);
  if (config_.embedding_size > 0) x = project(x, embedding_projection, embedding_projection, 0);
  if (config_.positions == Positions::learned)
    x = x + tensor(position_embedding, 0)
                .index_select(0, rows.positions + std::int64_t{config_.position_offset});
  if (!config_.is_feature_transformer()) return x;
  const std::vector<std::int64_t> states{-1, num_features(config_), config_.hidden_size};
  const at::Tensor features = normed(rows.features.view(states),
                                     tensor(feature_norm, 0).view({states[1], states[2]}), nullptr)
                                  .view({-1, config_.feature_size});
  return product(at::cat({normed(x, tensor(embedding_norm, 0), nullptr), features}, 1),
                 tensor(fusion, 0));
}

/// A block's addition to the stream, behind its norm and multiplier.
at::Tensor DecoderTorch::block_output(const at::Tensor& added, TensorRole weight, TensorRole bias,
                                      std::int32_t layer) const {
  const bool is_normed =
      config_.norm_place == NormPlace::after || config_.norm_place == NormPlace::around;
  return (is_normed ? norm(added, weight, bias, layer) : added) *
         static_cast<double>(config_.residual_scale);
}

at::Tensor DecoderTorch::run_layer(const at::Tensor& x, const Rows& rows, std::int32_t l,
                                   KvCacheTorch& cache) const {
  const bool norms_input =
      config_.norm_place == NormPlace::before || config_.norm_place == NormPlace::around;
  const bool norms_sum = config_.norm_place == NormPlace::after_sum;
  const at::Tensor in = norms_input ? norm(x, attention_norm, attention_norm_bias, l) : x;
  at::Tensor sum = x + block_output(attention(in, rows, l, cache), attention_output_norm,
                                    attention_output_norm_bias, l);
  if (norms_sum) sum = norm(sum, attention_output_norm, attention_output_norm_bias, l);
  const at::Tensor& before = config_.parallel ? x : sum;
  at::Tensor inner = before;
  if (norms_input)
    inner = config_.shared_norm ? in : norm(before, feed_forward_norm, feed_forward_norm_bias, l);
  const at::Tensor added = has_experts(config_, l) ? experts(inner, l) : feed_forward(inner, l);
  sum = sum + block_output(added, feed_forward_output_norm, feed_forward_output_norm_bias, l);
  return norms_sum ? norm(sum, feed_forward_output_norm, feed_forward_output_norm_bias, l) : sum;
}

/// @param heads  [rows, heads * head_dim] @return [rows, heads, head_dim]
at::Tensor DecoderTorch::norm_heads(const at::Tensor& heads, TensorRole weight, TensorRole bias,
                                    std::int32_t layer) const {
  const std::vector<std::int64_t> by_head{heads.size(0), -1, config_.head_dim};
  if (config_.head_norm == HeadNorm::none) return heads.view(by_head);
  if (config_.head_norm == HeadNorm::all_heads)
    return norm(heads, weight, bias, layer).view(by_head);
  return norm(heads.view(by_head), weight, bias, layer);
}

at::Tensor DecoderTorch::rotate(const at::Tensor& heads, const Rows& rows,
                                std::int32_t layer) const {
  const std::int64_t size = config_.rotary_size(), half = size / 2;
  if (size == 0) return heads;
  const auto& [cosine, sine] = rows.rotations.at(rotary_base_of(config_, layer));
  const at::Tensor low = heads.narrow(-1, 0, half), high = heads.narrow(-1, half, half);
  return at::cat({low * cosine - high * sine, high * cosine + low * sine,
                  heads.narrow(-1, size, config_.head_dim - size)},
                 -1);
}

/// @param query  [kv_heads, group * rows, head_dim] @param keys, values  [kv_heads, slots,
/// head_dim]
/// @param mask  [rows, slots]
at::Tensor DecoderTorch::attend(const at::Tensor& query, const at::Tensor& keys,
                                const at::Tensor& values, const at::Tensor& mask) const {
  const std::int64_t kv_heads = config_.num_kv_heads, group = config_.num_heads / kv_heads,
                     count = mask.size(0), length = mask.size(1);
  const at::Tensor scores = soft_capped(at::matmul(query, keys.transpose(1, 2)).to(at::kFloat) *
                                            static_cast<double>(score_scale(config_)),
                                        config_.attention_soft_cap)
                                .view({kv_heads, group, count, length});
  const at::Tensor weights =
      at::softmax(scores + mask, -1).to(options_.dtype()).view({kv_heads, group * count, length});
  return at::matmul(weights, values)
      .view({kv_heads, group, count, config_.head_dim})
      .permute({2, 0, 1, 3})
      .reshape({count, config_.query_size()});
}

at::Tensor DecoderTorch::attention(const at::Tensor& x, const Rows& rows, std::int32_t layer,
                                   KvCacheTorch& cache) const {
  const std::int64_t n = x.size(0), d = config_.head_dim, kv_heads = config_.num_kv_heads,
                     group = config_.num_heads / kv_heads;
  const auto as_type = [this](const at::Tensor& t) { return t.to(options_.dtype()); };
  const at::Tensor queries = as_type(
      rotate(norm_heads(project(x, query, query_bias, layer), query_norm, query_norm_bias, layer),
             rows, layer));
  const at::Tensor new_keys = as_type(rotate(
      norm_heads(project(x, key, key_bias, layer), key_norm, key_norm_bias, layer), rows, layer));
  const at::Tensor new_values =
      as_type(project(x, value, value_bias, layer)).view({n, kv_heads, d});
  const at::Tensor keys = cache.keys(layer), values = cache.values(layer);
  keys.permute({0, 2, 1, 3}).index_put_({rows.sequences, rows.slots}, new_keys);
  values.permute({0, 2, 1, 3}).index_put_({rows.sequences, rows.slots}, new_values);
  const at::Tensor out = at::empty({n, config_.query_size()}, options_);
  const std::vector<at::Tensor>& masks = rows.masks.at(window_of(config_, layer));
  for (std::size_t s = 0; s < rows.of_sequence.size(); ++s) {
    const std::int64_t length = masks[s].size(1), count = rows.of_sequence[s].size(0);
    const at::Tensor q = queries.index_select(0, rows.of_sequence[s])
                             .view({count, kv_heads, group, d})
                             .permute({1, 2, 0, 3})
                             .reshape({kv_heads, group * count, d});
    out.index_copy_(0, rows.of_sequence[s],
                    attend(q, keys[rows.sequence_ids[s]].narrow(1, 0, length),
                           values[rows.sequence_ids[s]].narrow(1, 0, length), masks[s]));
  }
  return project(out, attention_output, attention_output_bias, layer);
}

at::Tensor DecoderTorch::feed_forward(const at::Tensor& x, std::int32_t layer) const {
  const at::Tensor upper = project(x, up, up_bias, layer);
  const at::Tensor inner =
      config_.gated ? activated(project(x, gate, gate_bias, layer)) * upper : activated(upper);
  return project(inner, down, down_bias, layer);
}

at::Tensor DecoderTorch::expert(const at::Tensor& x, std::int32_t layer,
                                std::int64_t number) const {
  const at::Tensor upper = product(x, tensor(expert_up, layer)[number]);
  const at::Tensor inner = config_.gated
                               ? activated(product(x, tensor(expert_gate, layer)[number])) * upper
                               : activated(upper);
  return product(inner, tensor(expert_down, layer)[number]);
}

/// Every expert sees every row; the router's weights are zero where it was not chosen.
at::Tensor DecoderTorch::experts(const at::Tensor& x, std::int32_t layer) const {
  const at::Tensor law = at::softmax(project(x, router, router, layer), -1);
  const auto [best, numbers] = law.topk(config_.experts_per_token, -1, true, true);
  const at::Tensor chosen = config_.normalised_experts ? best / best.sum(-1, true) : best;
  const at::Tensor weights = at::zeros_like(law).scatter(-1, numbers, chosen);
  at::Tensor sum = at::zeros_like(x);
  for (std::int64_t number = 0; number < config_.num_experts; ++number) {
    const at::Tensor weight = weights.narrow(-1, number, 1);
    sum = sum + at::where(weight > 0, expert(x, layer, number) * weight, at::zeros_like(x));
  }
  return sum;
}

at::Tensor DecoderTorch::logits_of(const at::Tensor& hidden) const {
  at::Tensor in = hidden;
  if (config_.embedding_size > 0) in = project(in, output_projection, output_projection, 0);
  return soft_capped(project(in, head, head_bias, 0) * static_cast<double>(config_.logit_scale),
                     config_.logit_soft_cap);
}

}  // namespace speclab::engines
