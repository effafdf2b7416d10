// Phi 1, 1.5 and 2 (parallel blocks behind one LayerNorm, part of a head turns), and Phi 3 (Llama
// with fused projections).

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

void make_phi(DecoderShape& shape) {
  shape.norm = NormKind::layer;
  shape.norm_bias = true;
  shape.parallel = shape.shared_norm = true;
  shape.gated = false;
  shape.query_key_value_bias = shape.attention_output_bias = true;
  shape.feed_forward_bias = shape.head_bias = true;
}

DecoderShape phi_from_json(const JsonShape& config) {
  DecoderShape shape = config.sizes();
  config.read_rotary(shape, {.part = 0.5, .turns_part = true});
  config.read_tie(shape, false);
  make_phi(shape);
  shape.norm_epsilon = config.number_or("layer_norm_eps", 1e-5f);
  shape.activation = config.activation("hidden_act", Activation::gelu_tanh);
  if (config.flag_or("qk_layernorm", false)) {
    shape.head_norm = HeadNorm::shared;
    shape.head_norm_bias = true;
  }
  return shape;
}

DecoderShape phi2_from_gguf(const GgufShape& file) {
  DecoderShape shape = file.common(NormKind::layer);
  make_phi(shape);
  shape.activation = Activation::gelu_tanh;
  return shape;
}

constexpr TensorPlace kPhi[] = {
    {attention_norm_bias, "model.layers.{layer}.input_layernorm.bias"},
    {attention_output, "model.layers.{layer}.self_attn.dense.weight"},
    {attention_output_bias, "model.layers.{layer}.self_attn.dense.bias"},
    {query_norm, "model.layers.{layer}.self_attn.q_layernorm.weight"},
    {query_norm_bias, "model.layers.{layer}.self_attn.q_layernorm.bias"},
    {key_norm, "model.layers.{layer}.self_attn.k_layernorm.weight"},
    {key_norm_bias, "model.layers.{layer}.self_attn.k_layernorm.bias"},
    {up, "model.layers.{layer}.mlp.fc1.weight"},
    {up_bias, "model.layers.{layer}.mlp.fc1.bias"},
    {down, "model.layers.{layer}.mlp.fc2.weight"},
    {down_bias, "model.layers.{layer}.mlp.fc2.bias"},
    {output_norm, "model.final_layernorm.weight"},
    {output_norm_bias, "model.final_layernorm.bias"},
    {head_bias, "lm_head.bias"},
};

const std::vector<TensorPlace> kPhiPlaces = replaced_places(llama_places(), kPhi);

/// transformers takes no other scaling here, and reads "yarn" as longrope.
void require_longrope_or_none(const JsonShape& config, const DecoderShape& shape) {
  const RotaryScaling::Kind kind = shape.rotary_scaling.kind;
  if (kind != RotaryScaling::Kind::none && kind != RotaryScaling::Kind::longrope)
    config.config().fail("another rope_type than longrope", "default, longrope in phi3");
}

DecoderShape phi3_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config, {.turns_part = true});
  require_longrope_or_none(config, shape);
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-5f);
  config.read_window(shape, config.window("sliding_window", 0));
  return shape;
}

DecoderShape phi3_from_gguf(const GgufShape& file) {
  return llama_shape(file, RotaryPairs::halves);
}

}  // namespace

extern const Family kPhi1 = {"phi",      "phi2",   phi_from_json,  phi2_from_gguf,
                             kPhiPlaces, "model.", llama_buffers()};
extern const Family kPhi3 = {"phi3",         "phi3",   phi3_from_json, phi3_from_gguf,
                             llama_places(), "model.", llama_buffers()};

}  // namespace speclab::engines
