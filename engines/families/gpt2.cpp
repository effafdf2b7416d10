// GPT-2 (Radford et al. 2019): learned positions, LayerNorms, transposed weights.

#include "engines/families/family.h"
#include "engines/families/gguf_shape.h"
#include "engines/families/json_shape.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

void make_gpt2(DecoderShape& shape) {
  shape.norm = NormKind::layer;
  shape.norm_bias = true;
  shape.positions = Positions::learned;
  shape.rotary_part = 0;
  shape.gated = false;
  shape.query_key_value_bias = shape.attention_output_bias = shape.feed_forward_bias = true;
}

DecoderShape gpt2_from_json(const JsonShape& config) {
  DecoderShape shape;
  shape.vocab_size = config.positive("vocab_size", DecoderLimits::kMostTokens);
  shape.context_length = config.positive(
      config.config().find("n_positions") ? "n_positions" : "max_position_embeddings",
      DecoderLimits::kLongest);
  shape.num_layers = config.positive("n_layer", DecoderLimits::kMostLayers);
  shape.hidden_size = config.positive("n_embd", DecoderLimits::kWidest / 4);
  shape.num_heads = shape.num_kv_heads = config.positive("n_head", DecoderLimits::kMostHeads);
  shape.head_dim = shape.hidden_size / shape.num_heads;
  shape.intermediate_size =
      config.positive_or("n_inner", DecoderLimits::kWidest, 4 * shape.hidden_size);
  make_gpt2(shape);
  shape.norm_epsilon = config.number_or("layer_norm_epsilon", 1e-5f);
  shape.activation = config.activation("activation_function", Activation::gelu_tanh);
  config.read_tie(shape, true);
  if (!config.flag_or("scale_attn_weights", true)) shape.attention_scale = 1.0f;
  config.require_flag("scale_attn_by_inverse_layer_idx", false);
  config.require_flag("add_cross_attention", false);
  return shape;
}

DecoderShape gpt2_from_gguf(const GgufShape& file) {
  DecoderShape shape = file.common(NormKind::layer);
  make_gpt2(shape);
  shape.activation = Activation::gelu_tanh;
  return shape;
}

constexpr TensorPlace kGpt2Places[] = {
    {embedding, "transformer.wte.weight"},
    {position_embedding, "transformer.wpe.weight"},
    {output_norm, "transformer.ln_f.weight"},
    {output_norm_bias, "transformer.ln_f.bias"},
    {head, "lm_head.weight"},
    {attention_norm, "transformer.h.{layer}.ln_1.weight"},
    {attention_norm_bias, "transformer.h.{layer}.ln_1.bias"},
    {query, "transformer.h.{layer}.attn.c_attn.weight", Form::stacked, true},
    {key, "transformer.h.{layer}.attn.c_attn.weight", Form::stacked, true},
    {value, "transformer.h.{layer}.attn.c_attn.weight", Form::stacked, true},
    {query_bias, "transformer.h.{layer}.attn.c_attn.bias", Form::stacked},
    {key_bias, "transformer.h.{layer}.attn.c_attn.bias", Form::stacked},
    {value_bias, "transformer.h.{layer}.attn.c_attn.bias", Form::stacked},
    {attention_output, "transformer.h.{layer}.attn.c_proj.weight", Form::whole, true},
    {attention_output_bias, "transformer.h.{layer}.attn.c_proj.bias"},
    {feed_forward_norm, "transformer.h.{layer}.ln_2.weight"},
    {feed_forward_norm_bias, "transformer.h.{layer}.ln_2.bias"},
    {up, "transformer.h.{layer}.mlp.c_fc.weight", Form::whole, true},
    {up_bias, "transformer.h.{layer}.mlp.c_fc.bias"},
    {down, "transformer.h.{layer}.mlp.c_proj.weight", Form::whole, true},
    {down_bias, "transformer.h.{layer}.mlp.c_proj.bias"},
};

/// Causal masks.
constexpr const char* kGpt2Buffers[] = {"transformer.h.{layer}.attn.bias",
                                        "transformer.h.{layer}.attn.masked_bias"};

}  // namespace

extern const Family kGpt2 = {"gpt2",      "gpt2",         gpt2_from_json, gpt2_from_gguf,
                             kGpt2Places, "transformer.", kGpt2Buffers};

}  // namespace speclab::engines
