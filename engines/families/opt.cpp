// OPT (Zhang et al. 2022, arXiv 2205.01068): learned positions from row 2 on; the 350M has its
// norms behind the sums, no last norm, and a narrower table. GGUF has no OPT.

#include "engines/families/family.h"
#include "engines/families/json_shape.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

constexpr std::int32_t kPositionOffset = 2;

DecoderShape opt_from_json(const JsonShape& config) {
  DecoderShape shape;
  shape.vocab_size = config.positive("vocab_size", DecoderLimits::kMostTokens);
  shape.context_length = config.positive("max_position_embeddings", DecoderLimits::kLongest);
  shape.num_layers = config.positive("num_hidden_layers", DecoderLimits::kMostLayers);
  shape.hidden_size = config.positive("hidden_size", DecoderLimits::kWidest);
  shape.num_heads = shape.num_kv_heads =
      config.positive("num_attention_heads", DecoderLimits::kMostHeads);
  shape.head_dim = shape.hidden_size / shape.num_heads;
  shape.intermediate_size = config.positive("ffn_dim", DecoderLimits::kWidest);
  shape.positions = Positions::learned;
  shape.position_offset = kPositionOffset;
  shape.norm = NormKind::layer;
  shape.norm_bias = true;
  shape.gated = false;
  shape.query_key_value_bias = shape.attention_output_bias = shape.feed_forward_bias =
      config.flag_or("enable_bias", true);
  shape.activation = config.activation("activation_function", Activation::relu);
  config.read_tie(shape, true);
  config.require_flag("layer_norm_elementwise_affine", true);
  const bool norms_before = config.flag_or("do_layer_norm_before", true);
  shape.norm_place = norms_before ? NormPlace::before : NormPlace::after_sum;
  shape.final_norm = norms_before && !config.flag_or("_remove_final_layer_norm", false);
  const std::int32_t width =
      config.positive_or("word_embed_proj_dim", DecoderLimits::kWidest, shape.hidden_size);
  shape.embedding_size = width == shape.hidden_size ? 0 : width;
  return shape;
}

constexpr TensorPlace kOptPlaces[] = {
    {embedding, "model.decoder.embed_tokens.weight"},
    {position_embedding, "model.decoder.embed_positions.weight"},
    {embedding_projection, "model.decoder.project_in.weight"},
    {output_projection, "model.decoder.project_out.weight"},
    {output_norm, "model.decoder.final_layer_norm.weight"},
    {output_norm_bias, "model.decoder.final_layer_norm.bias"},
    {head, "lm_head.weight"},
    {attention_norm, "model.decoder.layers.{layer}.self_attn_layer_norm.weight"},
    {attention_norm_bias, "model.decoder.layers.{layer}.self_attn_layer_norm.bias"},
    {attention_output_norm, "model.decoder.layers.{layer}.self_attn_layer_norm.weight"},
    {attention_output_norm_bias, "model.decoder.layers.{layer}.self_attn_layer_norm.bias"},
    {query, "model.decoder.layers.{layer}.self_attn.q_proj.weight"},
    {query_bias, "model.decoder.layers.{layer}.self_attn.q_proj.bias"},
    {key, "model.decoder.layers.{layer}.self_attn.k_proj.weight"},
    {key_bias, "model.decoder.layers.{layer}.self_attn.k_proj.bias"},
    {value, "model.decoder.layers.{layer}.self_attn.v_proj.weight"},
    {value_bias, "model.decoder.layers.{layer}.self_attn.v_proj.bias"},
    {attention_output, "model.decoder.layers.{layer}.self_attn.out_proj.weight"},
    {attention_output_bias, "model.decoder.layers.{layer}.self_attn.out_proj.bias"},
    {feed_forward_norm, "model.decoder.layers.{layer}.final_layer_norm.weight"},
    {feed_forward_norm_bias, "model.decoder.layers.{layer}.final_layer_norm.bias"},
    {feed_forward_output_norm, "model.decoder.layers.{layer}.final_layer_norm.weight"},
    {feed_forward_output_norm_bias, "model.decoder.layers.{layer}.final_layer_norm.bias"},
    {up, "model.decoder.layers.{layer}.fc1.weight"},
    {up_bias, "model.decoder.layers.{layer}.fc1.bias"},
    {down, "model.decoder.layers.{layer}.fc2.weight"},
    {down_bias, "model.decoder.layers.{layer}.fc2.bias"},
};

}  // namespace

extern const Family kOpt = {"opt", nullptr, opt_from_json, nullptr, kOptPlaces, "model."};

}  // namespace speclab::engines
