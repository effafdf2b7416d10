// Fields of a config.json that no family reads, and that must not contradict the fields it reads.

#include "engines/families/json_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"

namespace speclab::engines {
namespace {

/// A size by one of the names that transformers' attribute maps give it.
struct SizeName {
  const char* name;
  std::int32_t DecoderShape::* size;
};

constexpr SizeName kSizeNames[] = {
    {"hidden_size", &DecoderShape::hidden_size},          {"n_embd", &DecoderShape::hidden_size},
    {"num_hidden_layers", &DecoderShape::num_layers},     {"n_layer", &DecoderShape::num_layers},
    {"num_attention_heads", &DecoderShape::num_heads},    {"n_head", &DecoderShape::num_heads},
    {"num_key_value_heads", &DecoderShape::num_kv_heads},
};
constexpr SizeName kExpertNames[] = {
    {"num_experts", &DecoderShape::num_experts},
    {"num_local_experts", &DecoderShape::num_experts},
};

void require_size(const JsonNode& config, const char* name, std::int64_t size) {
  const auto found = config.find(name);
  if (found && found->as_number() != static_cast<double>(size))
    found->fail(found->shown(), fmt::format("{}, as the file says by another name", size));
}

/// Scaling stretches the shape's context, so that the two names are compared with each other.
void require_one_context(const JsonNode& config) {
  const auto context = config.find("max_position_embeddings");
  if (context && config.find("n_positions"))
    require_size(config, "n_positions", context->as_integer(1, DecoderLimits::kLongest));
}

void require_layer_types(const JsonShape& config, const DecoderShape& shape) {
  const std::vector<bool> listed = config.listed_windows(shape);
  for (std::size_t layer = 0; layer < listed.size(); ++layer) {
    const bool has_window = window_of(shape, static_cast<std::int32_t>(layer)) > 0;
    if (listed[layer] == has_window) continue;
    const JsonNode type = config.config().at("layer_types").elements()[layer];
    type.fail(type.shown(), has_window ? "sliding_attention, as the windows of the file say"
                                       : "full_attention, as the layer has no window");
  }
}

/// "LlamaForCausalLM" and "GPT2LMHeadModel"; a base model's name, "LlamaModel", stands in files
/// whose tensors have no prefix.
bool completes_text(const std::string& name) {
  if (name.ends_with("ForCausalLM") || name.ends_with("LMHeadModel")) return true;
  return name.ends_with("Model") && name.find("For") == std::string::npos;
}

}  // namespace

std::int32_t JsonShape::positive(const char* key, std::int64_t most) const {
  return static_cast<std::int32_t>(config_.at(key).as_integer(1, most));
}

std::int32_t JsonShape::positive_or(const char* key, std::int64_t most,
                                    std::int32_t otherwise) const {
  return config_.find(key) ? positive(key, most) : otherwise;
}

std::int32_t JsonShape::window(const char* key, std::int32_t otherwise) const {
  return config_.value().contains(key) ? positive_or(key, DecoderLimits::kLongest, 0) : otherwise;
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
  shape.vocab_size = positive("vocab_size", DecoderLimits::kMostTokens);
  shape.context_length = positive("max_position_embeddings", DecoderLimits::kLongest);
  shape.num_layers = positive("num_hidden_layers", DecoderLimits::kMostLayers);
  shape.hidden_size = positive("hidden_size", DecoderLimits::kWidest);
  shape.intermediate_size = positive("intermediate_size", DecoderLimits::kWidest);
  shape.num_heads = positive("num_attention_heads", DecoderLimits::kMostHeads);
  shape.num_kv_heads =
      positive_or("num_key_value_heads", DecoderLimits::kMostHeads, shape.num_heads);
  shape.head_dim =
      positive_or("head_dim", DecoderLimits::kWidest, shape.hidden_size / shape.num_heads);
  return shape;
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

void refuse_other_tasks(const JsonShape& config) {
  config.require_flag("is_encoder_decoder", false);
  config.require_flag("is_causal", true);
  const auto names = config.config().find("architectures");
  if (!names) return;
  for (const JsonNode& name : names->elements())
    if (!completes_text(name.as_string()))
      name.fail(name.shown(), "names that end in ForCausalLM, LMHeadModel");
}

void refuse_contradictions(const JsonShape& config, const DecoderShape& shape) {
  for (const SizeName& each : kSizeNames)
    require_size(config.config(), each.name, shape.*each.size);
  if (shape.num_experts > 0)
    for (const SizeName& each : kExpertNames)
      require_size(config.config(), each.name, shape.*each.size);
  require_one_context(config.config());
  require_layer_types(config, shape);
}

DecoderShape read_llama_shape(const JsonNode& object) {
  const JsonShape config(object);
  DecoderShape shape = config.sizes();
  config.read_rotary(shape, {});
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-6f);
  return shape;
}

nlohmann::ordered_json llama_shape_json(const DecoderShape& config) {
  return {{"vocab_size", config.vocab_size},
          {"max_position_embeddings", config.context_length},
          {"num_hidden_layers", config.num_layers},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"num_attention_heads", config.num_heads},
          {"num_key_value_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"rope_theta", config.rope_theta},
          {"rms_norm_eps", config.norm_epsilon}};
}

void write_llama_config_json(const DecoderShape& shape, const std::string& path,
                             const std::string& dtype) {
  nlohmann::ordered_json object = {{"architectures", {"LlamaForCausalLM"}},
                                   {"model_type", "llama"}};
  object.update(llama_shape_json(shape));
  object.update({{"hidden_act", "silu"},
                 {"attention_bias", false},
                 {"mlp_bias", false},
                 {"tie_word_embeddings", shape.tied_embeddings},
                 {"torch_dtype", dtype}});
  if (!shape.draft_vocabulary.empty()) object["draft_vocabulary"] = shape.draft_vocabulary;
  write_file(path, object.dump(shape.draft_vocabulary.empty() ? 2 : -1) + "\n");
}

}  // namespace speclab::engines
