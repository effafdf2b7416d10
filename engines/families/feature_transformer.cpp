#include "engines/families/feature_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engines/families/json_shape.h"
#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

constexpr const char* kFeatureTransformer = "feature_transformer";

class FeatureTransformerWeights final : public DecoderWeights {
 public:
  FeatureTransformerWeights(std::unique_ptr<DecoderWeights> own,
                            std::unique_ptr<DecoderWeights> target, const DecoderShape& shape)
      : own_(std::move(own)), target_(std::move(target)), shape_(shape) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::embedding) return target_->read(role, 0);
    if (role == TensorRole::head)
      return rows_of(shape_.draft_vocabulary, target_->read(role, 0), shape_.hidden_size);
    return own_->read(role, layer);
  }
  std::int64_t bytes_to_read(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::embedding) return target_->bytes_to_read(role, 0);
    if (role == TensorRole::head)
      return target_->bytes_to_read(role, 0) + float32_bytes(num_elements(role, shape_));
    return own_->bytes_to_read(role, layer);
  }
  std::string sha256() const override { return own_->sha256(); }

 private:
  std::unique_ptr<DecoderWeights> own_, target_;
  DecoderShape shape_;
};

}  // namespace

bool is_feature_transformer_folder(const std::string& folder) {
  const std::string path = folder + "/config.json";
  const nlohmann::json root = read_json_file(path);
  return JsonNode(root, path).at("model_type").as_string() == kFeatureTransformer;
}

FeatureTransformerConfig read_feature_transformer_config(const std::string& path) {
  const nlohmann::json root = read_json_file(path);
  const JsonNode object(root, path);
  FeatureTransformerConfig config{read_llama_shape(object), object.at("target").as_string(),
                                  object.at("target_sha256").as_string()};
  config.shape.feature_size =
      static_cast<std::int32_t>(object.at("feature_size").as_integer(16, 1 << 20));
  if (config.shape.feature_size % config.shape.hidden_size != 0)
    object.at("feature_size")
        .fail(object.at("feature_size").shown(),
              fmt::format("multiples of hidden_size = {}", config.shape.hidden_size));
  config.shape.draft_vocabulary =
      read_draft_vocabulary(object.at("draft_vocabulary"), config.shape.vocab_size);
  config.shape.tied_embeddings = false;
  config.shape.config_sha256 = sha256_file(path);
  config.shape.validate(path);
  return config;
}

void write_feature_transformer_config(const FeatureTransformerConfig& config,
                                      const std::string& path) {
  nlohmann::ordered_json object = {{"architectures", {"FeatureTransformer"}},
                                   {"model_type", kFeatureTransformer}};
  object.update(llama_shape_json(config.shape));
  object["feature_size"] = config.shape.feature_size;
  object["target"] = config.target;
  object["target_sha256"] = config.target_sha256;
  object["draft_vocabulary"] = config.shape.draft_vocabulary;
  write_file(path, object.dump() + "\n");
}

std::unique_ptr<DecoderWeights> feature_transformer_weights(
    std::shared_ptr<const WeightSource> folder, const FeatureTransformerConfig& config,
    std::unique_ptr<DecoderWeights> target, const DecoderShape& target_shape) {
  const DecoderShape& shape = config.shape;
  if (target->sha256() != config.target_sha256)
    throw_model_file_error(
        folder->path() + "/config.json", 0,
        {"target_sha256", escaped(config.target_sha256, 64),
         fmt::format("{}, of '{}'", target->sha256(), escaped(config.target, 40)),
         "train it again or restore the target"});
  const std::int32_t hidden = target_shape.hidden_size,
                     all_states =
                         hidden *
                         (1 + static_cast<std::int32_t>(target_shape.state_layers().size()));
  if (target_shape.table_width() != hidden || hidden % 16 != 0)
    throw_model_file_error(folder->path() + "/config.json", 0,
                           {"target", "'" + escaped(config.target, 40) + "'",
                            "targets whose table has the width of their states, a multiple of 16",
                            "take a drafter that reads no hidden states"});
  if (target_shape.vocab_size != shape.vocab_size || hidden != shape.hidden_size ||
      (shape.feature_size != hidden && shape.feature_size != all_states))
    throw_model_file_error(
        folder->path() + "/config.json", 0,
        {"vocab_size, hidden_size, feature_size",
         fmt::format("{}, {}, {}", shape.vocab_size, shape.hidden_size, shape.feature_size),
         fmt::format("{}, {}, {} or {}, as its target '{}' has", target_shape.vocab_size, hidden,
                     hidden, all_states, escaped(config.target, 40)),
         "train it again or restore the target"});
  auto own = decoder_weights_from_checkpoint(std::move(folder), shape);
  return std::make_unique<FeatureTransformerWeights>(std::move(own), std::move(target), shape);
}

}  // namespace speclab::engines
