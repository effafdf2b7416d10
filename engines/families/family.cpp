// @source llama.cpp, gguf-py/gguf/constants.py: one set of names serves all architectures.

#include "engines/families/family.h"

#include <algorithm>

namespace speclab::engines {
namespace {

using enum TensorRole;

constexpr TensorPlace kGgufPlaces[] = {
    {embedding, "token_embd.weight"},
    {position_embedding, "position_embd.weight"},
    {output_norm, "output_norm.weight"},
    {output_norm_bias, "output_norm.bias"},
    {head, "output.weight"},
    {head_bias, "output.bias"},
    {attention_norm, "blk.{layer}.attn_norm.weight"},
    {attention_norm_bias, "blk.{layer}.attn_norm.bias"},
    {query, "blk.{layer}.attn_q.weight"},
    {query, "blk.{layer}.attn_qkv.weight", Form::stacked},
    {key, "blk.{layer}.attn_k.weight"},
    {key, "blk.{layer}.attn_qkv.weight", Form::stacked},
    {value, "blk.{layer}.attn_v.weight"},
    {value, "blk.{layer}.attn_qkv.weight", Form::stacked},
    {query_bias, "blk.{layer}.attn_q.bias"},
    {query_bias, "blk.{layer}.attn_qkv.bias", Form::stacked},
    {key_bias, "blk.{layer}.attn_k.bias"},
    {key_bias, "blk.{layer}.attn_qkv.bias", Form::stacked},
    {value_bias, "blk.{layer}.attn_v.bias"},
    {value_bias, "blk.{layer}.attn_qkv.bias", Form::stacked},
    {query_norm, "blk.{layer}.attn_q_norm.weight"},
    {key_norm, "blk.{layer}.attn_k_norm.weight"},
    {query_norm_bias, "blk.{layer}.attn_q_norm.bias"},
    {key_norm_bias, "blk.{layer}.attn_k_norm.bias"},
    {attention_output, "blk.{layer}.attn_output.weight"},
    {attention_output_bias, "blk.{layer}.attn_output.bias"},
    {attention_output_norm, "blk.{layer}.post_attention_norm.weight"},
    {feed_forward_norm, "blk.{layer}.ffn_norm.weight"},
    {feed_forward_norm_bias, "blk.{layer}.ffn_norm.bias"},
    {feed_forward_output_norm, "blk.{layer}.post_ffw_norm.weight"},
    {gate, "blk.{layer}.ffn_gate.weight"},
    {gate, "blk.{layer}.ffn_up.weight", Form::stacked},
    {up, "blk.{layer}.ffn_up.weight"},
    {up, "blk.{layer}.ffn_up.weight", Form::stacked},
    {down, "blk.{layer}.ffn_down.weight"},
    {gate_bias, "blk.{layer}.ffn_gate.bias"},
    {up_bias, "blk.{layer}.ffn_up.bias"},
    {down_bias, "blk.{layer}.ffn_down.bias"},
    {router, "blk.{layer}.ffn_gate_inp.weight"},
    {expert_gate, "blk.{layer}.ffn_gate_exps.weight"},
    {expert_gate, "blk.{layer}.ffn_gate.{part}.weight"},
    {expert_up, "blk.{layer}.ffn_up_exps.weight"},
    {expert_up, "blk.{layer}.ffn_up.{part}.weight"},
    {expert_down, "blk.{layer}.ffn_down_exps.weight"},
    {expert_down, "blk.{layer}.ffn_down.{part}.weight"},
};

constexpr const char* kGgufBuffers[] = {"rope_freqs.weight", "rope_factors_long.weight",
                                        "rope_factors_short.weight"};

using enum TensorRole;

constexpr TensorPlace kLlamaPlaces[] = {
    {embedding, "model.embed_tokens.weight"},
    {output_norm, "model.norm.weight"},
    {head, "lm_head.weight"},
    {attention_norm, "model.layers.{layer}.input_layernorm.weight"},
    {query, "model.layers.{layer}.self_attn.q_proj.weight"},
    {query, "model.layers.{layer}.self_attn.qkv_proj.weight", Form::stacked},
    {key, "model.layers.{layer}.self_attn.k_proj.weight"},
    {key, "model.layers.{layer}.self_attn.qkv_proj.weight", Form::stacked},
    {value, "model.layers.{layer}.self_attn.v_proj.weight"},
    {value, "model.layers.{layer}.self_attn.qkv_proj.weight", Form::stacked},
    {query_bias, "model.layers.{layer}.self_attn.q_proj.bias"},
    {query_bias, "model.layers.{layer}.self_attn.qkv_proj.bias", Form::stacked},
    {key_bias, "model.layers.{layer}.self_attn.k_proj.bias"},
    {key_bias, "model.layers.{layer}.self_attn.qkv_proj.bias", Form::stacked},
    {value_bias, "model.layers.{layer}.self_attn.v_proj.bias"},
    {value_bias, "model.layers.{layer}.self_attn.qkv_proj.bias", Form::stacked},
    {query_norm, "model.layers.{layer}.self_attn.q_norm.weight"},
    {key_norm, "model.layers.{layer}.self_attn.k_norm.weight"},
    {attention_output, "model.layers.{layer}.self_attn.o_proj.weight"},
    {attention_output_bias, "model.layers.{layer}.self_attn.o_proj.bias"},
    {feed_forward_norm, "model.layers.{layer}.post_attention_layernorm.weight"},
    {gate, "model.layers.{layer}.mlp.gate_proj.weight"},
    {gate, "model.layers.{layer}.mlp.gate_up_proj.weight", Form::stacked},
    {up, "model.layers.{layer}.mlp.up_proj.weight"},
    {up, "model.layers.{layer}.mlp.gate_up_proj.weight", Form::stacked},
    {down, "model.layers.{layer}.mlp.down_proj.weight"},
    {gate_bias, "model.layers.{layer}.mlp.gate_proj.bias"},
    {gate_bias, "model.layers.{layer}.mlp.gate_up_proj.bias", Form::stacked},
    {up_bias, "model.layers.{layer}.mlp.up_proj.bias"},
    {up_bias, "model.layers.{layer}.mlp.gate_up_proj.bias", Form::stacked},
    {down_bias, "model.layers.{layer}.mlp.down_proj.bias"},
    {embedding_norm, "model.embedding_norm.weight"},
    {feature_norm, "model.feature_norm.weight"},
    {fusion, "model.fusion.weight"},
};

constexpr const char* kLlamaBuffers[] = {"model.rotary_emb.inv_freq",
                                         "model.layers.{layer}.self_attn.rotary_emb.inv_freq"};

DecoderShape llama_from_json(const JsonShape& config) { return llama_shape(config); }

DecoderShape llama_from_gguf(const GgufShape& file) {
  return llama_shape(file, RotaryPairs::adjacent);
}

}  // namespace

std::vector<TensorPlace> joined_places(std::span<const TensorPlace> base,
                                       std::span<const TensorPlace> more) {
  std::vector<TensorPlace> places(base.begin(), base.end());
  places.insert(places.end(), more.begin(), more.end());
  return places;
}

std::vector<TensorPlace> replaced_places(std::span<const TensorPlace> base,
                                         std::span<const TensorPlace> own) {
  std::vector<TensorPlace> places;
  for (const TensorPlace& place : base)
    if (std::ranges::none_of(own, [&](const TensorPlace& o) { return o.role == place.role; }))
      places.push_back(place);
  places.insert(places.end(), own.begin(), own.end());
  return places;
}

std::span<const TensorPlace> gguf_places() { return kGgufPlaces; }
std::span<const char* const> gguf_buffers() { return kGgufBuffers; }

std::span<const TensorPlace> llama_places() { return kLlamaPlaces; }
std::span<const char* const> llama_buffers() { return kLlamaBuffers; }

DecoderShape llama_shape(const JsonShape& config, const RotaryRule& rule) {
  DecoderShape shape = config.sizes();
  config.read_rotary(shape, rule);
  config.read_tie(shape, false);
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-6f);
  shape.activation = config.activation("hidden_act", Activation::silu);
  shape.query_key_value_bias = shape.attention_output_bias =
      config.flag_or("attention_bias", false);
  shape.feed_forward_bias = config.flag_or("mlp_bias", false);
  return shape;
}

DecoderShape llama_shape(const GgufShape& file, RotaryPairs pairs) {
  DecoderShape shape = file.common();
  shape.rotary_pairs = pairs;
  file.read_experts(shape);
  file.read_windows(shape);
  return shape;
}

extern const Family kLlama = {"llama",        "llama",  llama_from_json, llama_from_gguf,
                              llama_places(), "model.", llama_buffers()};

}  // namespace speclab::engines
