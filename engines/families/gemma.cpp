// Gemma 1 (arXiv 2403.08295), 2 (2408.00118) and the text part of 3 (2503.19786). Hugging Face's
// files hold the norms' weights less one; GGUF's hold them whole.

#include <fmt/format.h>

#include <cmath>

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

constexpr float kWindowTheta = 10000.0f;  ///< of Gemma 3's layers with a window

/// Gemma's choices, whatever file its sizes come from.
void make_gemma(DecoderShape& shape) {
  shape.activation = Activation::gelu_tanh;
  shape.embedding_scale = std::sqrt(static_cast<float>(shape.hidden_size));
}

void make_gemma3(DecoderShape& shape) {
  make_gemma(shape);
  shape.norm_place = NormPlace::around;
  shape.head_norm = HeadNorm::shared;
}

/// Gemma 1's files name "gelu" in hidden_act and mean its approximation.
DecoderShape gemma_from(const JsonShape& config, const RotaryRule& rule) {
  config.require_flag("use_bidirectional_attention", false);
  DecoderShape shape = config.sizes();
  shape.head_dim = config.positive_or("head_dim", DecoderLimits::kWidest, 256);
  config.read_rotary(shape, rule);
  config.read_tie(shape, true);
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-6f);
  shape.norm_adds_one = true;
  shape.query_key_value_bias = shape.attention_output_bias =
      config.flag_or("attention_bias", false);
  make_gemma(shape);
  shape.activation = config.activation("hidden_activation", Activation::gelu_tanh);
  return shape;
}

DecoderShape gemma_from_json(const JsonShape& config) { return gemma_from(config, {}); }

/// @param attention_cap, logit_cap  where config.json says nothing
void read_scores(const JsonShape& config, DecoderShape& shape, float attention_cap,
                 float logit_cap) {
  const float scalar = config.number_or("query_pre_attn_scalar", 256.0f);
  if (!(scalar > 0) || !std::isfinite(scalar))
    config.config().at("query_pre_attn_scalar").fail(fmt::format("{}", scalar), "a number above 0");
  shape.attention_scale = 1.0f / std::sqrt(scalar);
  shape.attention_soft_cap = config.soft_cap("attn_logit_softcapping", attention_cap);
  shape.logit_soft_cap = config.soft_cap("final_logit_softcapping", logit_cap);
}

constexpr std::int32_t kGemma2Window = 4096;
constexpr std::int32_t kGemma2Pattern = 2, kGemma3Pattern = 6;  ///< every n-th layer has no window

DecoderShape gemma2_from_json(const JsonShape& config) {
  DecoderShape shape = gemma_from(config, {});
  shape.norm_place = NormPlace::around;
  read_scores(config, shape, 50, 30);
  config.read_windows(shape, config.window("sliding_window", kGemma2Window),
                      [](std::int32_t layer) { return (layer + 1) % kGemma2Pattern != 0; });
  return shape;
}

DecoderShape gemma3_from_json(const JsonShape& config) {
  DecoderShape shape =
      gemma_from(config, {.theta = 1e6, .window_theta = static_cast<double>(kWindowTheta)});
  make_gemma3(shape);
  read_scores(config, shape, 0, 0);
  const std::int32_t pattern =
      config.positive_or("sliding_window_pattern", DecoderLimits::kMostLayers, kGemma3Pattern);
  config.read_windows(shape, config.window("sliding_window", 4096),
                      [pattern](std::int32_t layer) { return (layer + 1) % pattern != 0; });
  return shape;
}

DecoderShape gemma_from_gguf(const GgufShape& file) {
  DecoderShape shape = llama_shape(file, RotaryPairs::halves);
  make_gemma(shape);
  return shape;
}

/// GGUF does not say it. The 27B alone, known by its layers, divides by its width a head.
float scale_of_scores(const DecoderShape& shape, std::int32_t layers_of_27b) {
  const int divisor =
      shape.num_layers == layers_of_27b ? shape.hidden_size / shape.num_heads : shape.head_dim;
  return 1.0f / std::sqrt(static_cast<float>(divisor));
}

DecoderShape gemma2_from_gguf(const GgufShape& file) {
  DecoderShape shape = file.common();
  make_gemma(shape);
  shape.norm_place = NormPlace::around;
  shape.attention_soft_cap = file.number_or("attn_logit_softcapping", 50.0f);
  shape.logit_soft_cap = file.number_or("final_logit_softcapping", 30.0f);
  shape.attention_scale = scale_of_scores(shape, 46);
  file.read_windows(shape, kGemma2Window, kGemma2Pattern);
  if (const float theta = file.number_or("rope.freq_base_swa", shape.rope_theta);
      theta != shape.rope_theta)
    file.fail("rope.freq_base_swa", fmt::format("{}", theta),
              fmt::format("{}, as rope.freq_base", shape.rope_theta));
  return shape;
}

DecoderShape gemma3_from_gguf(const GgufShape& file) {
  DecoderShape shape = file.common();
  make_gemma3(shape);
  shape.logit_soft_cap = file.number_or("final_logit_softcapping", 0.0f);
  shape.attention_scale = scale_of_scores(shape, 62);
  file.read_windows(shape, 0, kGemma3Pattern);
  shape.window_rope_theta = file.number_or("rope.freq_base_swa", kWindowTheta);
  return shape;
}

/// Names of the norms around both blocks; Gemma 1 has Llama's.
constexpr TensorPlace kGemmaNorms[] = {
    {attention_output_norm, "model.layers.{layer}.post_attention_layernorm.weight"},
    {feed_forward_norm, "model.layers.{layer}.pre_feedforward_layernorm.weight"},
    {feed_forward_output_norm, "model.layers.{layer}.post_feedforward_layernorm.weight"},
};

const std::vector<TensorPlace> kGemma2Places = replaced_places(llama_places(), kGemmaNorms);

}  // namespace

extern const Family kGemma = {"gemma",        "gemma",  gemma_from_json, gemma_from_gguf,
                              llama_places(), "model.", llama_buffers()};
extern const Family kGemma2 = {"gemma2",      "gemma2", gemma2_from_json, gemma2_from_gguf,
                               kGemma2Places, "model.", llama_buffers()};
extern const Family kGemma3 = {"gemma3_text", "gemma3", gemma3_from_json, gemma3_from_gguf,
                               kGemma2Places, "model.", llama_buffers()};

}  // namespace speclab::engines
