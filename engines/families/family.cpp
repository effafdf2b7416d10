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

}  // namespace speclab::engines
