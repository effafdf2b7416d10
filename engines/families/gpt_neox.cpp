// GPT-NeoX (Black et al. 2022) and Pythia: parallel blocks with a norm each, part of a head turns,
// queries, keys and values of a head side by side.

#include "engines/families/family.h"
#include "engines/families/gguf_shape.h"
#include "engines/families/json_shape.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

void make_gpt_neox(DecoderShape& shape) {
  shape.norm = NormKind::layer;
  shape.norm_bias = true;
  shape.gated = false;
  shape.feed_forward_bias = true;
}

DecoderShape gpt_neox_from_json(const JsonShape& config) {
  DecoderShape shape = config.sizes();
  shape.num_kv_heads = shape.num_heads;
  config.read_rotary(
      shape,
      {.part = 0.25, .turns_part = true, .theta_key = "rotary_emb_base", .part_key = "rotary_pct"});
  config.read_tie(shape, false);
  make_gpt_neox(shape);
  shape.norm_epsilon = config.number_or("layer_norm_eps", 1e-5f);
  shape.activation = config.activation("hidden_act", Activation::gelu);
  shape.query_key_value_bias = shape.attention_output_bias = config.flag_or("attention_bias", true);
  shape.parallel = config.flag_or("use_parallel_residual", true);
  return shape;
}

DecoderShape gpt_neox_from_gguf(const GgufShape& file) {
  DecoderShape shape = file.common(NormKind::layer);
  make_gpt_neox(shape);
  shape.activation = Activation::gelu;
  shape.parallel = file.flag_or("use_parallel_residual", true);
  return shape;
}

constexpr TensorPlace kGptNeoxPlaces[] = {
    {embedding, "gpt_neox.embed_in.weight"},
    {output_norm, "gpt_neox.final_layer_norm.weight"},
    {output_norm_bias, "gpt_neox.final_layer_norm.bias"},
    {head, "embed_out.weight"},
    {head, "lm_head.weight"},
    {attention_norm, "gpt_neox.layers.{layer}.input_layernorm.weight"},
    {attention_norm_bias, "gpt_neox.layers.{layer}.input_layernorm.bias"},
    {query, "gpt_neox.layers.{layer}.attention.query_key_value.weight", Form::per_head},
    {key, "gpt_neox.layers.{layer}.attention.query_key_value.weight", Form::per_head},
    {value, "gpt_neox.layers.{layer}.attention.query_key_value.weight", Form::per_head},
    {query_bias, "gpt_neox.layers.{layer}.attention.query_key_value.bias", Form::per_head},
    {key_bias, "gpt_neox.layers.{layer}.attention.query_key_value.bias", Form::per_head},
    {value_bias, "gpt_neox.layers.{layer}.attention.query_key_value.bias", Form::per_head},
    {attention_output, "gpt_neox.layers.{layer}.attention.dense.weight"},
    {attention_output_bias, "gpt_neox.layers.{layer}.attention.dense.bias"},
    {feed_forward_norm, "gpt_neox.layers.{layer}.post_attention_layernorm.weight"},
    {feed_forward_norm_bias, "gpt_neox.layers.{layer}.post_attention_layernorm.bias"},
    {up, "gpt_neox.layers.{layer}.mlp.dense_h_to_4h.weight"},
    {up_bias, "gpt_neox.layers.{layer}.mlp.dense_h_to_4h.bias"},
    {down, "gpt_neox.layers.{layer}.mlp.dense_4h_to_h.weight"},
    {down_bias, "gpt_neox.layers.{layer}.mlp.dense_4h_to_h.bias"},
};

/// Causal masks and frequencies.
constexpr const char* kGptNeoxBuffers[] = {
    "gpt_neox.rotary_emb.inv_freq",
    "gpt_neox.layers.{layer}.attention.bias",
    "gpt_neox.layers.{layer}.attention.masked_bias",
    "gpt_neox.layers.{layer}.attention.rotary_emb.inv_freq",
};

}  // namespace

extern const Family kGptNeox = {"gpt_neox",     "gptneox",   gpt_neox_from_json, gpt_neox_from_gguf,
                                kGptNeoxPlaces, "gpt_neox.", kGptNeoxBuffers};

}  // namespace speclab::engines
