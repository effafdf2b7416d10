#include "engines/models/mlp_speculator_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

constexpr const char* kMlpSpeculator = "mlp_speculator";
constexpr std::int64_t kMaxMlpVocab = 2'000'000, kMaxMlpWidth = 1 << 16, kMaxMlpHeads = 16;

std::int32_t size_of(const JsonNode& object, const char* field, std::int64_t most) {
  return static_cast<std::int32_t>(object.at(field).as_integer(1, most));
}

/// The kernels read widths in whole vectors.
std::int32_t width_of(const JsonNode& object, const char* field) {
  const std::int32_t width = size_of(object, field, kMaxMlpWidth);
  if (width % 16 != 0) object.at(field).fail(object.at(field).shown(), "multiples of 16");
  return width;
}

std::string text(const JsonNode& object, const char* field) {
  const auto found = object.find(field);
  return found ? found->as_string() : "";
}

}  // namespace

std::int64_t MlpSpeculatorConfig::num_parameters() const {
  const std::int64_t inner = inner_size,
                     stage = (num_embeddings() + std::int64_t{num_logits()}) * inner + 2 * inner;
  const std::int64_t stages = is_tied ? 1 : num_heads,
                     projections = is_tied ? std::min(num_heads - 1, 1) : num_heads - 1;
  return stages * stage + std::int64_t{base_hidden_size} * inner + projections * inner * inner;
}

double MlpSpeculatorConfig::mix_ratio() const {
  const double state_weight = std::pow(0.5, 0.5 / num_heads);
  return std::sqrt((1 - state_weight * state_weight) * inner_size / 2) / state_weight;
}

std::vector<std::int32_t> MlpSpeculatorConfig::embedding_rows() const {
  return rows_of_tokens(draft_vocabulary, vocab_size, num_logits());
}

std::string MlpSpeculatorConfig::projection(std::int32_t stage) const {
  return fmt::format("speculator.proj.{}.weight", is_tied ? std::min(stage, 1) : stage);
}

std::string MlpSpeculatorConfig::tensor(const char* kind, std::int32_t stage,
                                        const char* part) const {
  return fmt::format("speculator.{}.{}.{}", kind, is_tied ? 0 : stage, part);
}

bool is_mlp_speculator_folder(const std::string& folder) {
  const std::string path = folder + "/config.json";
  const nlohmann::json root = read_json_file(path);
  return JsonNode(root, path).at("model_type").as_string() == kMlpSpeculator;
}

MlpSpeculatorConfig read_mlp_speculator_config(const std::string& path) {
  const nlohmann::json root = read_json_file(path);
  const JsonNode object(root, path);
  if (object.at("model_type").as_string() != kMlpSpeculator)
    object.at("model_type").fail(object.at("model_type").shown(), kMlpSpeculator);
  MlpSpeculatorConfig config;
  config.vocab_size = size_of(object, "vocab_size", kMaxMlpVocab);
  config.base_hidden_size = width_of(object, "emb_dim");
  config.inner_size = width_of(object, "inner_dim");
  config.num_heads = size_of(object, "n_predict", kMaxMlpHeads);
  config.is_tied = object.flag_or("tie_weights", false);
  config.scales_input = object.flag_or("scale_input", false);
  if (const auto list = object.find("draft_vocabulary"))
    config.draft_vocabulary = read_draft_vocabulary(*list, config.vocab_size);
  config.target = text(object, "target");
  config.target_sha256 = text(object, "target_sha256");
  config.config_sha256 = sha256_file(path);
  return config;
}

void write_mlp_speculator_config(const MlpSpeculatorConfig& config, const std::string& path) {
  nlohmann::ordered_json object = {{"architectures", {"MLPSpeculatorPreTrainedModel"}},
                                   {"model_type", kMlpSpeculator},
                                   {"vocab_size", config.vocab_size},
                                   {"emb_dim", config.base_hidden_size},
                                   {"inner_dim", config.inner_size},
                                   {"n_predict", config.num_heads},
                                   {"tie_weights", config.is_tied},
                                   {"scale_input", config.scales_input},
                                   {"target", config.target},
                                   {"target_sha256", config.target_sha256}};
  if (!config.draft_vocabulary.empty()) object["draft_vocabulary"] = config.draft_vocabulary;
  write_file(path, object.dump() + "\n");
}

}  // namespace speclab::engines
