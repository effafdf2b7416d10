#include "engines/families/gguf_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/families/gguf_rotary.h"
#include "engines/families/json_shape.h"
#include "engines/formats/input_file.h"

namespace speclab::engines {

void GgufShape::read_sizes(DecoderShape& shape) const {
  shape.name = file().metadata().find<std::string>("general.name").value_or("");
  shape.context_length = integer("context_length", 1, DecoderShape::kLongest);
  shape.num_layers = integer("block_count", 1, DecoderShape::kMostLayers);
  shape.hidden_size = integer("embedding_length", 1, DecoderShape::kWidest);
  shape.intermediate_size = layer_integer_or("feed_forward_length", 1, DecoderShape::kWidest, 0);
  shape.num_heads = layer_integer("attention.head_count", 1, DecoderShape::kMostHeads);
  shape.num_kv_heads =
      layer_integer_or("attention.head_count_kv", 1, DecoderShape::kMostHeads, shape.num_heads);
  shape.head_dim = integer_or("attention.key_length", 1, DecoderShape::kWidest,
                              std::max(shape.hidden_size / shape.num_heads, 1));
  if (const std::int32_t value =
          integer_or("attention.value_length", 1, DecoderShape::kWidest, shape.head_dim);
      value != shape.head_dim)
    fail("attention.value_length", fmt::format("{}", value),
         fmt::format("{}, as the keys", shape.head_dim));
  const std::vector<std::int64_t>& table = file().tensor("token_embd.weight").shape;
  if (table.size() != 2 || table[0] < 1 || table[0] > DecoderShape::kMostTokens)
    throw_model_file_error(
        file().path(), 0,
        {"rows of token_embd.weight", fmt::format("{}", table.empty() ? 0 : table[0]),
         fmt::format("1 to {}", DecoderShape::kMostTokens)});
  shape.vocab_size = static_cast<std::int32_t>(table[0]);
}

/// Both norms' epsilons may be there; then they must agree.
void GgufShape::read_epsilon(DecoderShape& shape, NormKind norm) const {
  const std::string rms = "attention.layer_norm_rms_epsilon",
                    layer = "attention.layer_norm_epsilon";
  const std::string& own = norm == NormKind::rms ? rms : layer;
  const std::string& other = norm == NormKind::rms ? layer : rms;
  shape.norm_epsilon = number(own);
  if (number_or(other, shape.norm_epsilon) != shape.norm_epsilon)
    fail(other, fmt::format("{}", number(other)),
         fmt::format("{}, as {}", shape.norm_epsilon, own));
}

DecoderShape GgufShape::common(NormKind norm) const {
  DecoderShape shape;
  read_sizes(shape);
  read_gguf_rotary(*this, shape);
  read_epsilon(shape, norm);
  shape.tied_embeddings = !has_tensor("output.weight");
  shape.query_key_value_bias = has_tensor("blk.0.attn_q.bias") || has_tensor("blk.0.attn_qkv.bias");
  shape.attention_output_bias = has_tensor("blk.0.attn_output.bias");
  shape.feed_forward_bias = has_tensor("blk.0.ffn_down.bias");
  return shape;
}

void GgufShape::read_windows(DecoderShape& shape) const {
  const std::int32_t window = integer_or("attention.sliding_window", 0, DecoderShape::kLongest, 0);
  if (window > 0) shape.windows.assign(static_cast<std::size_t>(shape.num_layers), window);
}

std::vector<bool> GgufShape::window_layers(const DecoderShape& shape, std::int32_t pattern) const {
  constexpr const char* kKey = "attention.sliding_window_pattern";
  const std::vector<std::int64_t> listed = integers(kKey);
  std::vector<bool> layers;
  if (listed.size() <= 1) {
    const std::int32_t every = integer_or(kKey, 1, DecoderShape::kMostLayers, pattern);
    for (std::int32_t layer = 0; layer < shape.num_layers; ++layer)
      layers.push_back((layer + 1) % every != 0);
    return layers;
  }
  if (listed.size() != static_cast<std::size_t>(shape.num_layers))
    fail(kKey, fmt::format("a list of {}", listed.size()),
         fmt::format("one for each of {} layers", shape.num_layers));
  for (const std::int64_t each : listed) layers.push_back(each != 0);
  return layers;
}

void GgufShape::read_windows(DecoderShape& shape, std::int32_t window, std::int32_t pattern) const {
  const std::vector<bool> layers = window_layers(shape, pattern);
  const std::int32_t size =
      integer_or("attention.sliding_window", 0, DecoderShape::kLongest, window);
  for (std::size_t layer = 0; size > 0 && layer < layers.size(); ++layer)
    shape.windows.push_back(layers[layer] ? size : 0);
}

void GgufShape::read_experts(DecoderShape& shape) const {
  shape.num_experts = integer_or("expert_count", 0, DecoderShape::kMostExperts, 0);
  if (shape.num_experts == 0) return;
  shape.experts_per_token = integer("expert_used_count", 1, shape.num_experts);
  shape.expert_size = layer_integer_or("expert_feed_forward_length", 1, DecoderShape::kWidest,
                                       shape.intermediate_size);
  shape.normalised_experts = flag_or("expert_weights_norm", true);
  if (shape.intermediate_size == 0) shape.intermediate_size = shape.expert_size;
}

}  // namespace speclab::engines
