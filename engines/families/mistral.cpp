// Mistral 7B (arXiv 2310.06825): Llama with a window in every layer. GGUF calls it llama.
// Mixtral (arXiv 2401.04088): Mistral with experts. GGUF calls it llama.

#include "engines/families/family.h"

namespace speclab::engines {
namespace {

DecoderShape mistral_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config);
  config.read_window(shape, config.window("sliding_window", 4096));
  return shape;
}

using enum TensorRole;

DecoderShape mixtral_from_json(const JsonShape& config) {
  DecoderShape shape = llama_shape(config, {.theta = 1e6});
  shape.norm_epsilon = config.number_or("rms_norm_eps", 1e-5f);
  shape.num_experts = config.positive("num_local_experts", DecoderLimits::kMostExperts);
  shape.experts_per_token = config.positive("num_experts_per_tok", shape.num_experts);
  shape.expert_size = shape.intermediate_size;
  config.read_window(shape, config.window("sliding_window", 0));
  return shape;
}

constexpr TensorPlace kMixtralExperts[] = {
    {router, "model.layers.{layer}.block_sparse_moe.gate.weight"},
    {router, "model.layers.{layer}.mlp.gate.weight"},
    {expert_gate, "model.layers.{layer}.block_sparse_moe.experts.{part}.w1.weight"},
    {expert_gate, "model.layers.{layer}.mlp.experts.gate_up_proj", Form::stacked},
    {expert_up, "model.layers.{layer}.block_sparse_moe.experts.{part}.w3.weight"},
    {expert_up, "model.layers.{layer}.mlp.experts.gate_up_proj", Form::stacked},
    {expert_down, "model.layers.{layer}.block_sparse_moe.experts.{part}.w2.weight"},
    {expert_down, "model.layers.{layer}.mlp.experts.down_proj"},
};

const std::vector<TensorPlace> kMixtralPlaces = joined_places(llama_places(), kMixtralExperts);

}  // namespace

extern const Family kMistral = {"mistral",      nullptr,  mistral_from_json, nullptr,
                                llama_places(), "model.", llama_buffers()};

extern const Family kMixtral = {"mixtral",      nullptr,  mixtral_from_json, nullptr,
                                kMixtralPlaces, "model.", llama_buffers()};

}  // namespace speclab::engines
