// StableLM 2: LayerNorms, part of a head turns; the 12B has norms for every head and parallel
// blocks.

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

void make_stablelm(DecoderShape& shape) {
  shape.norm = NormKind::layer;
  shape.norm_bias = true;
}

DecoderShape stablelm_from_json(const JsonShape& config) {
  DecoderShape shape = config.sizes();
  config.read_rotary(shape, {.part = 0.25, .turns_part = true});
  config.read_tie(shape, false);
  make_stablelm(shape);
  shape.norm_epsilon = config.number_or("layer_norm_eps", 1e-5f);
  shape.activation = config.activation("hidden_act", Activation::silu);
  shape.query_key_value_bias = config.flag_or("use_qkv_bias", false);
  shape.parallel = shape.shared_norm = config.flag_or("use_parallel_residual", false);
  if (config.flag_or("qk_layernorm", false)) shape.head_norm = HeadNorm::own;
  return shape;
}

DecoderShape stablelm_from_gguf(const GgufShape& file) {
  DecoderShape shape = file.common(NormKind::layer);
  make_stablelm(shape);
  // Converters write use_parallel_residual for all; the tensor alone tells, as in llama.cpp.
  file.pass_over("use_parallel_residual");
  shape.parallel = shape.shared_norm = !file.file().contains("blk.0.ffn_norm.weight");
  if (file.file().contains("blk.0.attn_q_norm.weight")) shape.head_norm = HeadNorm::own;
  return shape;
}

constexpr TensorPlace kStableLm[] = {
    {output_norm_bias, "model.norm.bias"},
    {attention_norm_bias, "model.layers.{layer}.input_layernorm.bias"},
    {feed_forward_norm_bias, "model.layers.{layer}.post_attention_layernorm.bias"},
    {query_norm, "model.layers.{layer}.self_attn.q_layernorm.norms.{part}.weight"},
    {key_norm, "model.layers.{layer}.self_attn.k_layernorm.norms.{part}.weight"},
};

const std::vector<TensorPlace> kStablelmPlaces = replaced_places(llama_places(), kStableLm);

}  // namespace

extern const Family kStableLmFamily = {"stablelm",         "stablelm",      stablelm_from_json,
                                       stablelm_from_gguf, kStablelmPlaces, "model.",
                                       llama_buffers()};

}  // namespace speclab::engines
