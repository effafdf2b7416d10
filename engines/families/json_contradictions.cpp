// Fields of a config.json that no family reads, and that must not contradict the fields it reads.

#include "engines/families/json_contradictions.h"

#include <fmt/format.h>

#include <algorithm>

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
    require_size(config, "n_positions", context->as_integer(1, DecoderShape::kLongest));
}

void require_layer_types(const JsonShape& config, const DecoderShape& shape) {
  const std::vector<bool> listed = config.listed_windows(shape);
  for (std::size_t layer = 0; layer < listed.size(); ++layer) {
    const bool has_window = shape.window_of(static_cast<std::int32_t>(layer)) > 0;
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

}  // namespace speclab::engines
