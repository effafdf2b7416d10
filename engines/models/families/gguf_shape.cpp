#include "engines/models/families/gguf_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/formats/input_file.h"
#include "engines/models/families/json_shape.h"
#include "sim/core/errors.h"

namespace speclab::engines {

std::int32_t GgufShape::integer(const std::string& key, std::int64_t least,
                                std::int64_t most) const {
  const std::int64_t value = file_.metadata().get<std::int64_t>(prefix_ + key);
  if (value < least || value > most)
    file_.metadata().fail(prefix_ + key, fmt::format("{}", value),
                          fmt::format("{} to {}", least, most));
  return static_cast<std::int32_t>(value);
}

std::int32_t GgufShape::integer_or(const std::string& key, std::int64_t least, std::int64_t most,
                                   std::int32_t otherwise) const {
  return file_.metadata().contains(prefix_ + key) ? integer(key, least, most) : otherwise;
}

float GgufShape::number_or(const std::string& key, float otherwise) const {
  return file_.metadata().find<float>(prefix_ + key).value_or(otherwise);
}

bool GgufShape::flag_or(const std::string& key, bool otherwise) const {
  return file_.metadata().find<bool>(prefix_ + key).value_or(otherwise);
}

void GgufShape::read_sizes(DecoderShape& shape) const {
  const GgufMetadata& metadata = file_.metadata();
  shape.name = metadata.find<std::string>("general.name").value_or("");
  shape.context_length = integer("context_length", 1, JsonShape::kLongest);
  shape.num_layers = integer("block_count", 1, JsonShape::kMostLayers);
  shape.hidden_size = integer("embedding_length", 1, JsonShape::kWidest);
  shape.intermediate_size = integer_or("feed_forward_length", 1, JsonShape::kWidest, 0);
  shape.num_heads = integer("attention.head_count", 1, JsonShape::kMostHeads);
  shape.num_kv_heads =
      integer_or("attention.head_count_kv", 1, JsonShape::kMostHeads, shape.num_heads);
  shape.head_dim = integer_or("attention.key_length", 1, JsonShape::kWidest,
                              std::max(shape.hidden_size / shape.num_heads, 1));
  if (const std::int32_t value =
          integer_or("attention.value_length", 1, JsonShape::kWidest, shape.head_dim);
      value != shape.head_dim)
    metadata.fail(prefix_ + "attention.value_length", fmt::format("{}", value),
                  fmt::format("{}, as the keys", shape.head_dim));
  const std::vector<std::int64_t>& table = file_.tensor("token_embd.weight").shape;
  if (table.size() != 2 || table[0] < 1 || table[0] > JsonShape::kMostTokens)
    throw_model_file_error(
        file_.path(), 0,
        {"rows of token_embd.weight", fmt::format("{}", table.empty() ? 0 : table[0]),
         fmt::format("1 to {}", JsonShape::kMostTokens)});
  shape.vocab_size = static_cast<std::int32_t>(table[0]);
}

void GgufShape::read_rotary(DecoderShape& shape) const {
  shape.rope_theta = number_or("rope.freq_base", 10000.0f);
  const std::int32_t part = integer_or("rope.dimension_count", 1, shape.head_dim, shape.head_dim);
  if (part != shape.head_dim) shape.rotary_part = part;
  RotaryScaling& scaling = shape.rotary_scaling;
  scaling.factor =
      static_cast<double>(number_or("rope.scaling.factor", number_or("rope.scale_linear", 1.0f)));
  if (scaling.factor == 0) scaling.factor = 1;  // llama.cpp's word for none
  if (!(scaling.factor >= 1) || !std::isfinite(scaling.factor))
    file_.metadata().fail(prefix_ + "rope.scaling.factor", fmt::format("{}", scaling.factor),
                          "a number of at least 1");
  const auto type = file_.metadata().find<std::string>(prefix_ + "rope.scaling.type");
  scaling.original_context = integer_or("rope.scaling.original_context_length", 1,
                                        JsonShape::kLongest, shape.context_length);
  if (type && *type == "yarn")
    scaling.kind = RotaryScaling::Kind::yarn;
  else if ((type && *type == "linear") || (!type && scaling.factor > 1))
    scaling.kind = RotaryScaling::Kind::linear;
  else if (type && *type != "none" && *type != "longrope")
    file_.metadata().fail(prefix_ + "rope.scaling.type", "'" + escaped(*type, 64) + "'",
                          "none, linear, yarn");
  read_divisors(shape);
}

std::vector<float> GgufShape::divisors_of(const char* name, const DecoderShape& shape) const {
  const auto refuse = [&](std::string found, std::string allowed) {
    throw_model_file_error(
        file_.path(), 0, {fmt::format("tensor '{}'", name), std::move(found), std::move(allowed)});
  };
  const std::int64_t wanted = shape.rotary_size() / 2;
  if (file_.tensor(name).num_elements != wanted)
    refuse(fmt::format("{} numbers", file_.tensor(name).num_elements), fmt::format("{}", wanted));
  std::vector<float> divisors = file_.read_float32(name);
  for (const float divisor : divisors)
    if (!(divisor > 0) || !std::isfinite(divisor))
      refuse(fmt::format("{}", divisor), "numbers above 0");
  return divisors;
}

/// Scaling that stands in tensors: Llama 3's, and Phi 3's for two contexts.
void GgufShape::read_divisors(DecoderShape& shape) const {
  constexpr const char* kFar = "rope_factors_long.weight";
  const bool has_one = has("rope_freqs.weight"), has_two = has(kFar);
  if (!has_one && !has_two) return;
  RotaryScaling& scaling = shape.rotary_scaling;
  if (scaling.kind != RotaryScaling::Kind::none || (has_one && has_two))
    throw_model_file_error(file_.path(), 0,
                           {fmt::format("tensor '{}'", has_two ? kFar : "rope_freqs.weight"),
                            "beside another scaling", "one of them"});
  scaling.kind = has_two ? RotaryScaling::Kind::longrope : RotaryScaling::Kind::divided;
  scaling.divisors =
      divisors_of(has_two ? "rope_factors_short.weight" : "rope_freqs.weight", shape);
  if (!has_two) return;
  shape.context_length = std::min(shape.context_length, scaling.original_context);
  scaling.attention_factor = static_cast<double>(number_or("rope.scaling.attn_factor", 1.0f));
}

DecoderShape GgufShape::common() const {
  DecoderShape shape;
  read_sizes(shape);
  read_rotary(shape);
  shape.norm_epsilon = number_or("attention.layer_norm_rms_epsilon",
                                 number_or("attention.layer_norm_epsilon", 1e-5f));
  shape.tied_embeddings = !has("output.weight");
  shape.query_key_value_bias = has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias");
  shape.attention_output_bias = has("blk.0.attn_output.bias");
  shape.feed_forward_bias = has("blk.0.ffn_down.bias");
  return shape;
}

void GgufShape::read_experts(DecoderShape& shape) const {
  shape.num_experts = integer_or("expert_count", 0, JsonShape::kMostExperts, 0);
  if (shape.num_experts == 0) return;
  shape.experts_per_token = integer("expert_used_count", 1, shape.num_experts);
  shape.expert_size =
      integer_or("expert_feed_forward_length", 1, JsonShape::kWidest, shape.intermediate_size);
  if (shape.intermediate_size == 0) shape.intermediate_size = shape.expert_size;
}

}  // namespace speclab::engines
