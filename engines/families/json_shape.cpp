#include "engines/families/json_shape.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace speclab::engines {

std::int32_t JsonShape::positive(const char* key, std::int64_t most) const {
  return static_cast<std::int32_t>(config_.at(key).as_integer(1, most));
}

std::int32_t JsonShape::positive_or(const char* key, std::int64_t most,
                                    std::int32_t otherwise) const {
  return config_.find(key) ? positive(key, most) : otherwise;
}

float JsonShape::number_or(const char* key, float otherwise) const {
  const auto found = config_.find(key);
  return found ? static_cast<float>(found->as_number()) : otherwise;
}

bool JsonShape::flag_or(const char* key, bool otherwise) const {
  const auto found = config_.find(key);
  return found ? found->as_bool() : otherwise;
}

std::int32_t JsonShape::window(const char* key, std::int32_t otherwise) const {
  return config_.value().contains(key) ? positive_or(key, DecoderShape::kLongest, 0) : otherwise;
}

float JsonShape::soft_cap(const char* key, float otherwise) const {
  if (!config_.value().contains(key)) return otherwise;
  const float cap = number_or(key, 0.0f);
  if (!(cap >= 0) || !std::isfinite(cap))
    config_.at(key).fail(fmt::format("{}", cap), "null, or a number above 0");
  return cap;
}

void JsonShape::require_flag(const char* key, bool only) const {
  const auto found = config_.find(key);
  if (found && found->as_bool() != only) found->fail(found->shown(), only ? "true" : "false");
}

Activation JsonShape::activation(const char* key, Activation otherwise) const {
  const auto found = config_.find(key);
  if (!found) return otherwise;
  const std::string& name = found->as_string();
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
    return Activation::gelu_tanh;
  if (name == "relu") return Activation::relu;
  found->fail(found->shown(), "silu, gelu, gelu_new, gelu_pytorch_tanh, relu");
}

DecoderShape JsonShape::sizes() const {
  DecoderShape shape;
  shape.vocab_size = positive("vocab_size", DecoderShape::kMostTokens);
  shape.context_length = positive("max_position_embeddings", DecoderShape::kLongest);
  shape.num_layers = positive("num_hidden_layers", DecoderShape::kMostLayers);
  shape.hidden_size = positive("hidden_size", DecoderShape::kWidest);
  shape.intermediate_size = positive("intermediate_size", DecoderShape::kWidest);
  shape.num_heads = positive("num_attention_heads", DecoderShape::kMostHeads);
  shape.num_kv_heads =
      positive_or("num_key_value_heads", DecoderShape::kMostHeads, shape.num_heads);
  shape.head_dim =
      positive_or("head_dim", DecoderShape::kWidest, shape.hidden_size / shape.num_heads);
  return shape;
}

void JsonShape::read_tie(DecoderShape& shape, bool otherwise) const {
  shape.tied_embeddings = flag_or("tie_word_embeddings", otherwise);
}

std::vector<bool> JsonShape::listed_windows(const DecoderShape& shape) const {
  const auto list = config_.find("layer_types");
  if (!list) return {};
  std::vector<bool> windows;
  for (const JsonNode& type : list->elements()) {
    if (type.as_string() != "sliding_attention" && type.as_string() != "full_attention")
      type.fail(type.shown(), "sliding_attention, full_attention");
    windows.push_back(type.as_string() == "sliding_attention");
  }
  if (windows.size() != static_cast<std::size_t>(shape.num_layers))
    list->fail(fmt::format("{} layers", windows.size()),
               fmt::format("num_hidden_layers = {}", shape.num_layers));
  return windows;
}

}  // namespace speclab::engines
