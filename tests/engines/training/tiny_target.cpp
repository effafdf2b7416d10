#include "tests/engines/training/tiny_target.h"

#include "engines/families/catalogue.h"
#include "engines/families/json_shape.h"
#include "engines/formats/safetensors_writer.h"
#include "sim/system/files.h"

namespace speclab::engines::testing {
namespace {

struct NamedTensor {
  std::string name;
  TensorRole role;
  std::int32_t layer;
  std::int64_t columns;  ///< 0 for a norm
};

std::vector<NamedTensor> tensors_of(const DecoderShape& config) {
  const std::int64_t h = config.hidden_size;
  std::vector<NamedTensor> all{{"model.embed_tokens.weight", TensorRole::embedding, 0, h},
                               {"model.norm.weight", TensorRole::output_norm, 0, 0}};
  for (std::int32_t l = 0; l < config.num_layers; ++l) {
    const std::string layer = "model.layers." + std::to_string(l) + ".";
    for (const NamedTensor& tensor :
         {NamedTensor{"input_layernorm", TensorRole::attention_norm, l, 0},
          {"self_attn.q_proj", TensorRole::query, l, h},
          {"self_attn.k_proj", TensorRole::key, l, h},
          {"self_attn.v_proj", TensorRole::value, l, h},
          {"self_attn.o_proj", TensorRole::attention_output, l, config.query_size()},
          {"post_attention_layernorm", TensorRole::feed_forward_norm, l, 0},
          {"mlp.gate_proj", TensorRole::gate, l, h},
          {"mlp.up_proj", TensorRole::up, l, h},
          {"mlp.down_proj", TensorRole::down, l, config.intermediate_size}})
      all.push_back({layer + tensor.name + ".weight", tensor.role, l, tensor.columns});
  }
  return all;
}

}  // namespace

TinyTarget::TinyTarget(std::int32_t num_layers) : config_(tiny_config()) {
  config_.num_layers = num_layers;
  config_.context_length = 64;
  make_folder(folder());
  const auto weights = tiny_weights(config_);
  const std::vector<NamedTensor> names = tensors_of(config_);
  std::vector<std::vector<float>> values;
  std::vector<TensorToWrite> tensors;
  values.reserve(names.size());
  for (const NamedTensor& tensor : names) {
    values.push_back(weights->read(tensor.role, tensor.layer));
    const auto size = static_cast<std::int64_t>(values.back().size());
    tensors.push_back({tensor.name,
                       tensor.columns == 0 ? std::vector{size}
                                           : std::vector{size / tensor.columns, tensor.columns},
                       values.back()});
  }
  write_safetensors(folder() + "/model.safetensors", tensors);
  write_llama_config_json(config_, folder() + "/config.json", "float32");
}

std::string TinyTarget::sha256() const { return open_model(folder()).weights->sha256(); }
std::vector<float> TinyTarget::embedding() const {
  return open_model(folder()).weights->read(TensorRole::embedding, 0);
}
FeatureTarget TinyTarget::feature_target() const {
  return {config_, folder(), sha256(), embedding(), embedding()};
}

std::unique_ptr<LanguageModel> TinyTarget::load() const {
  const ModelSource source = open_model(folder());
  return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights,
                                           cpu::ElementType::float32,
                                           std::make_shared<cpu::ThreadTeam>(1));
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
  options.keeps_hidden = options.keeps_layers = true;
  for (std::size_t i = 0; i < count; ++i) options.prompts.push_back({static_cast<Token>(i % 50)});
  const auto model = load();
  return make_own_text(*model, nullptr, options, {[](const TrainProgress&) {}});
}

}  // namespace speclab::engines::testing
