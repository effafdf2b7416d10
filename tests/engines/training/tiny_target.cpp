#include "tests/engines/training/tiny_target.h"

#include "engines/formats/safetensors_writer.h"
#include "engines/models/catalogue.h"
#include "sim/core/files.h"

namespace speclab::engines::testing {
namespace {

struct NamedTensor {
  const char* name;
  LlamaTensor role;
  std::int64_t columns;  ///< 0 for a norm
};

}  // namespace

TinyTarget::TinyTarget() : config_(tiny_config()) {
  config_.num_layers = 1;
  config_.context_length = 64;
  make_folder(folder());
  const auto weights = tiny_weights(config_);
  const std::int64_t h = config_.hidden_size;
  const NamedTensor names[] = {{"model.embed_tokens.weight", LlamaTensor::embedding, h},
                               {"model.norm.weight", LlamaTensor::output_norm, 0},
                               {"model.layers.0.input_layernorm.weight", LlamaTensor::attention_norm, 0},
                               {"model.layers.0.self_attn.q_proj.weight", LlamaTensor::query, h},
                               {"model.layers.0.self_attn.k_proj.weight", LlamaTensor::key, h},
                               {"model.layers.0.self_attn.v_proj.weight", LlamaTensor::value, h},
                               {"model.layers.0.self_attn.o_proj.weight", LlamaTensor::attention_output, config_.query_size()},
                               {"model.layers.0.post_attention_layernorm.weight", LlamaTensor::feed_forward_norm, 0},
                               {"model.layers.0.mlp.gate_proj.weight", LlamaTensor::gate, h},
                               {"model.layers.0.mlp.up_proj.weight", LlamaTensor::up, h},
                               {"model.layers.0.mlp.down_proj.weight", LlamaTensor::down, config_.intermediate_size}};
  std::vector<std::vector<float>> values;
  std::vector<TensorToWrite> tensors;
  values.reserve(std::size(names));
  for (const NamedTensor& tensor : names) {
    values.push_back(weights->read(tensor.role, 0));
    const auto size = static_cast<std::int64_t>(values.back().size());
    tensors.push_back({tensor.name, tensor.columns == 0 ? std::vector{size} : std::vector{size / tensor.columns, tensor.columns}, values.back()});
  }
  write_safetensors(folder() + "/model.safetensors", tensors);
  write_llama_config_json(config_, folder() + "/config.json", "float32");
}

std::string TinyTarget::sha256() const { return open_model(folder()).weights->sha256(); }
std::vector<float> TinyTarget::embedding() const { return open_model(folder()).weights->read(LlamaTensor::embedding, 0); }
FeatureTarget TinyTarget::feature_target() const { return {config_, folder(), sha256(), embedding(), embedding()}; }

std::unique_ptr<LanguageModel> TinyTarget::load() const {
  const ModelSource source = open_model(folder());
  return std::make_unique<cpu::LlamaCpu>(source.config, *source.weights, cpu::ElementType::float32, std::make_shared<cpu::ThreadTeam>(1));
}

std::vector<float> TinyTarget::hidden(const std::vector<Token>& tokens) const {
  const auto model = load();
  const auto cache = model->make_cache(1, static_cast<std::int32_t>(tokens.size()));
  std::vector<ForwardRow> rows = chain_rows(tokens, cache->begin(), 0);
  for (ForwardRow& row : rows) row.wants_hidden = true;
  const ForwardResult result = model->forward(rows, *cache);
  return {result.hidden.begin(), result.hidden.end()};
}

std::vector<OwnText> TinyTarget::texts(std::size_t count, std::int32_t length) const {
  OwnTextOptions options;
  options.temperatures = {1.0};
  options.max_new_tokens = length;
  options.cache_file = folder_.path("own_text_" + std::to_string(count));
  options.keeps_hidden = true;
  for (std::size_t i = 0; i < count; ++i) options.prompts.push_back({static_cast<Token>(i % 50)});
  const auto model = load();
  return make_own_text(*model, nullptr, options, {[](const TrainProgress&) {}});
}

}  // namespace speclab::engines::testing
