// Qwen 2 and 2.5 (biases of queries, keys and values), Qwen 3 (norms of query and key heads), and
// Qwen 3 with experts.

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

/// Layers from max_window_layers on have a window, if use_sliding_window says so.
void read_qwen_windows(const JsonShape& config, DecoderShape& shape) {
  const bool has_windows = config.flag_or("use_sliding_window", false);
  std::int32_t first = 28;
  if (const auto found = config.config().find("max_window_layers"); found && has_windows)
    first = static_cast<std::int32_t>(found->as_integer(0, DecoderLimits::kMostLayers));
  config.read_windows(shape, has_windows ? config.window("sliding_window", 4096) : 0,
                      [first](std::int32_t layer) { return layer >= first; });
}

DecoderShape qwen2_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  shape.query_key_value_bias = true;
  shape.attention_output_bias = false;
  read_qwen_windows(config, shape);
  return shape;
}

DecoderShape qwen2_from_gguf(const GgufShape& file) {
  return llama_shape(file, RotaryPairs::halves);
}

DecoderShape qwen3_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  shape.head_dim = config.positive_or("head_dim", DecoderLimits::kWidest, 128);
  shape.head_norm = HeadNorm::shared;
  read_qwen_windows(config, shape);
  return shape;
}

DecoderShape qwen3_from_gguf(const GgufShape& file) {
  DecoderShape shape = llama_shape(file, RotaryPairs::halves);
  shape.head_norm = HeadNorm::shared;
  return shape;
}

/// Every decoder_sparse_step-th layer has experts, but for those of mlp_only_layers.
std::vector<bool> expert_layers(const JsonShape& config, std::int32_t num_layers) {
  const std::int32_t step =
      config.positive_or("decoder_sparse_step", DecoderLimits::kMostLayers, 1);
  std::vector<bool> layers;
  for (std::int32_t layer = 0; layer < num_layers; ++layer)
    layers.push_back((layer + 1) % step == 0);
  if (const auto dense = config.config().find("mlp_only_layers"))
    for (const JsonNode& layer : dense->elements())
      layers[static_cast<std::size_t>(layer.as_integer(0, num_layers - 1))] = false;
  return layers;
}

DecoderShape qwen3_moe_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  shape.head_norm = HeadNorm::shared;
  shape.num_experts =
      config.positive(config.config().find("num_experts") ? "num_experts" : "num_local_experts",
                      DecoderLimits::kMostExperts);
  shape.experts_per_token = config.positive("num_experts_per_tok", shape.num_experts);
  shape.expert_size = config.positive("moe_intermediate_size", DecoderLimits::kWidest);
  shape.normalised_experts = config.flag_or("norm_topk_prob", false);
  shape.expert_layers = expert_layers(config, shape.num_layers);
  const bool has_windows = config.flag_or("use_sliding_window", false);
  config.read_window(shape, has_windows ? config.window("sliding_window", 4096) : 0);
  return shape;
}

constexpr TensorPlace kQwenExperts[] = {
    {router, "model.layers.{layer}.mlp.gate.weight"},
    {expert_gate, "model.layers.{layer}.mlp.experts.{part}.gate_proj.weight"},
    {expert_gate, "model.layers.{layer}.mlp.experts.gate_up_proj", Form::stacked},
    {expert_up, "model.layers.{layer}.mlp.experts.{part}.up_proj.weight"},
    {expert_up, "model.layers.{layer}.mlp.experts.gate_up_proj", Form::stacked},
    {expert_down, "model.layers.{layer}.mlp.experts.{part}.down_proj.weight"},
    {expert_down, "model.layers.{layer}.mlp.experts.down_proj"},
};

const std::vector<TensorPlace> kQwen3MoePlaces = joined_places(llama_places(), kQwenExperts);

}  // namespace

extern const Family kQwen2 = {"qwen2",        "qwen2",  qwen2_from_json, qwen2_from_gguf,
                              llama_places(), "model.", llama_buffers()};
extern const Family kQwen3 = {"qwen3",        "qwen3",  qwen3_from_json, qwen3_from_gguf,
                              llama_places(), "model.", llama_buffers()};
extern const Family kQwen3Moe = {"qwen3_moe",     "qwen3moe", qwen3_moe_from_json, qwen3_from_gguf,
                                 kQwen3MoePlaces, "model.",   llama_buffers()};

}  // namespace speclab::engines
