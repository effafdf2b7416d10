#include "engines/models/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/gguf_file.h"
#include "engines/formats/input_file.h"
#include "engines/formats/recorded_digest.h"
#include "engines/models/decoder/feature_transformer.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/core/data_folder.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

/// A member of SmolLM2's family: its vocabulary, context and head width of 64.
CatalogueEntry shape(const char* name, std::int32_t layers, std::int32_t hidden,
                     std::int32_t intermediate, std::int32_t kv_heads) {
  DecoderShape config;
  config.name = name;
  config.vocab_size = 49152;
  config.context_length = 8192;
  config.num_layers = layers;
  config.hidden_size = hidden;
  config.intermediate_size = intermediate;
  config.num_heads = hidden / 64;
  config.num_kv_heads = kv_heads;
  config.head_dim = 64;
  config.rope_theta = 100000.0f;
  return {name, "", config,
          fmt::format("random weights, {:.0f}M parameters: its time is real, its text is not",
                      static_cast<double>(config.num_parameters()) / 1e6)};
}

/// The shape of a published model, by the sizes of its config.json.
CatalogueEntry llama_shape(const char* name, std::int32_t layers, std::int32_t hidden,
                           std::int32_t intermediate, std::int32_t heads, std::int32_t kv_heads,
                           std::int32_t head_dim, std::int32_t vocab, bool tied) {
  CatalogueEntry entry = shape(name, layers, hidden, intermediate, kv_heads);
  DecoderShape& config = *entry.shape;
  config.num_heads = heads;
  config.head_dim = head_dim;
  config.vocab_size = vocab;
  config.tied_embeddings = tied;
  config.rope_theta = 500000.0f;
  entry.description =
      fmt::format("random weights, {:.0f}M parameters: its time is real, its text is not",
                  static_cast<double>(config.num_parameters()) / 1e6);
  return entry;
}

/// One of OPT's sizes (Zhang et al. 2022, table 1) with layers of Llama: as many weights in three
/// feed-forward matrices as OPT has in two, and heads of 64 also where OPT-2.7B has 80.
CatalogueEntry opt_shape(const char* name, std::int32_t layers, std::int32_t hidden,
                         std::int32_t head_dim) {
  const std::int32_t intermediate = (8 * hidden / 3 + 32) / 64 * 64, heads = hidden / head_dim;
  return llama_shape(name, layers, hidden, intermediate, heads, heads, head_dim, 50272, true);
}

/// @throws ConfigError if the path cannot be looked at
bool is_there(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error)
    throw ConfigError(fmt::format("model '{}': {}; give a path that can be read",
                                  escaped(path, 200), error.message()));
  return there;
}

bool is_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none);
}

CatalogueEntry find_model(const std::string& model) {
  std::vector<std::string> names;
  for (CatalogueEntry& entry : model_catalogue()) {
    if (entry.name == model) {
      if (entry.shape || is_there(entry.path)) return entry;
      throw ConfigError(
          fmt::format("model '{}' is not at {}; run scripts/setup", model, entry.path));
    }
    names.push_back(entry.name);
  }
  if (is_there(model)) return {model, model, std::nullopt, ""};
  throw ConfigError(
      fmt::format("model '{}': no such file, folder or catalogue name; allowed names: {}",
                  escaped(model), fmt::join(names, ", ")));
}

ModelSource open_gguf(const std::string& path) {
  const auto file = std::make_shared<GgufFile>(GgufFile::open(path));
  const DecoderShape config = shape_from_gguf(*file);
  const std::string kind =
      file->metadata().find<std::string>("tokenizer.ggml.model").value_or("none");
  return {config, decoder_weights_from_gguf(file, config),
          kind == "none" ? nullptr : load_tokenizer_from_gguf(*file)};
}

/// With the weights that its manifest.json tells of, where it has one.
std::shared_ptr<CheckpointFolder> open_checkpoint(const std::string& path) {
  auto folder = std::make_shared<CheckpointFolder>(CheckpointFolder::open(path));
  if (std::error_code none; std::filesystem::exists(path + "/manifest.json", none))
    check_recorded_digest(path, "model.safetensors", sha256_files(folder->weight_paths()));
  return folder;
}

/// Which rows of its head a small transformer comes with; a feature transformer has those of its
/// draft vocabulary only.
enum class Head { whole, drafted };

ModelSource open_plain(const CatalogueEntry& entry, Head head);

/// The tokenizer is the target's business.
ModelSource open_feature_transformer(const std::string& path) {
  FeatureTransformerConfig config = read_feature_transformer_config(path + "/config.json");
  config.shape.name = std::filesystem::path(path).filename().string();
  ModelSource target = open_plain(find_model(config.target), Head::whole);
  const auto folder = open_checkpoint(path);
  return {config.shape,
          feature_transformer_weights(folder, config, std::move(target.weights), target.config),
          nullptr};
}

ModelSource open_folder(const std::string& path, Head head) {
  DecoderShape config = shape_from_json(path + "/config.json");
  if (head == Head::whole) config.draft_vocabulary.clear();
  if (config.name.empty()) config.name = std::filesystem::path(path).filename().string();
  const auto folder = open_checkpoint(path);
  return {config, decoder_weights_from_checkpoint(folder, config),
          load_tokenizer_from_folder(path)};
}

/// Flipped bits among the weights would give text, only worse.
void check_pinned(const CatalogueEntry& entry, const std::string& found) {
  if (found == entry.sha256) return;
  throw_model_file_error(entry.path, 0,
                         {"sha256", found, entry.sha256,
                          "the file is damaged or another one: delete it and run scripts/setup"});
}

/// Every model but a feature transformer, which needs another one.
ModelSource open_plain(const CatalogueEntry& entry, Head head) {
  if (entry.shape) return {*entry.shape, random_decoder_weights(*entry.shape, 1), nullptr};
  ModelSource source =
      is_folder(entry.path) ? open_folder(entry.path, head) : open_gguf(entry.path);
  if (!entry.sha256.empty()) check_pinned(entry, source.weights->sha256());
  return source;
}

ModelSource open_with(const std::string& model, Head head) {
  const CatalogueEntry entry = find_model(model);
  if (!entry.shape && is_folder(entry.path) && is_mlp_speculator_folder(entry.path))
    throw ConfigError(
        fmt::format("model '{}' is an MLP speculator, which drafts from another model's hidden "
                    "states; allowed: the drafter mlp_speculator with it as its model",
                    escaped(model)));
  const bool reads_features =
      !entry.shape && is_folder(entry.path) && is_feature_transformer_folder(entry.path);
  return reads_features ? open_feature_transformer(entry.path) : open_plain(entry, head);
}

}  // namespace

std::string project_models_folder() { return data_folder() + "/results/models"; }

std::vector<CatalogueEntry> model_catalogue() {
  return {{"smollm2-135m", fetched_file("models/smollm2-135m-instruct-q4_1.gguf"), std::nullopt,
           "SmolLM2-135M-Instruct, Q4_1 (Apache-2.0)",
           "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
          {"smollm2-drafter", project_models_folder() + "/smollm2-drafter", std::nullopt,
           "small transformer that drafts for smollm2-135m"},
          {"smollm2-feature", project_models_folder() + "/smollm2-feature", std::nullopt,
           "drafts for smollm2-135m from its hidden states"},
          {"smollm2-mlp", project_models_folder() + "/smollm2-mlp", std::nullopt,
           "MLP speculator for smollm2-135m"},
          shape("shape-15m", 14, 192, 512, 1),
          shape("shape-45m", 16, 384, 1024, 2),
          shape("shape-135m", 30, 576, 1536, 3),
          shape("shape-360m", 32, 960, 2560, 5),
          shape("shape-1b", 16, 2048, 8192, 8),
          llama_shape("shape-3b", 28, 3072, 8192, 24, 8, 128, 49152, true),
          llama_shape("shape-8b", 32, 4096, 14336, 32, 8, 128, 49152, false),
          llama_shape("shape-llama-68m", 2, 768, 3072, 12, 12, 64, 32000, false),
          llama_shape("shape-gpt2-124m", 12, 768, 2048, 12, 12, 64, 50257, true),
          llama_shape("shape-llama-3.2-1b", 16, 2048, 8192, 32, 8, 64, 128256, true),
          llama_shape("shape-llama-3.2-3b", 28, 3072, 8192, 24, 8, 128, 128256, true),
          llama_shape("shape-llama-3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256, false),
          llama_shape("shape-llama-2-13b", 40, 5120, 13824, 40, 40, 128, 32000, false),
          opt_shape("shape-opt-125m", 12, 768, 64),
          opt_shape("shape-opt-350m", 24, 1024, 64),
          opt_shape("shape-opt-1.3b", 24, 2048, 64),
          opt_shape("shape-opt-2.7b", 32, 2560, 64),
          opt_shape("shape-opt-6.7b", 32, 4096, 128),
          opt_shape("shape-opt-13b", 40, 5120, 128)};
}

std::string model_path(const std::string& model) {
  for (const CatalogueEntry& entry : model_catalogue())
    if (entry.name == model) return entry.path;
  return model;
}

ModelSource open_model(const std::string& model) { return open_with(model, Head::whole); }

ModelSource open_draft_model(const std::string& model) { return open_with(model, Head::drafted); }

MlpSpeculatorSource open_mlp_speculator(const std::string& model) {
  const CatalogueEntry entry = find_model(model);
  if (entry.shape || !is_folder(entry.path) || !is_mlp_speculator_folder(entry.path))
    throw ConfigError(
        fmt::format("drafter model '{}' is no MLP speculator; allowed: a folder that speclab train "
                    "made of the kind mlp_speculator, or a published one",
                    escaped(model)));
  MlpSpeculatorConfig config = read_mlp_speculator_config(entry.path + "/config.json");
  config.name = std::filesystem::path(entry.path).filename().string();
  return {config, open_checkpoint(entry.path)};
}

std::shared_ptr<const Tokenizer> open_tokenizer(const std::string& model) {
  const CatalogueEntry entry = find_model(model);
  if (entry.shape)
    throw ConfigError(fmt::format("model '{}' has random weights and no tokenizer", entry.name));
  if (is_folder(entry.path)) {
    auto tokenizer = load_tokenizer_from_folder(entry.path);
    if (!tokenizer)
      throw ConfigError(fmt::format(
          "model '{}' has no tokenizer; allowed: a folder with tokenizer.json or tokenizer.model",
          escaped(model)));
    return tokenizer;
  }
  const std::filesystem::path path(entry.path);
  if (path.extension() == ".json") return load_tokenizer_from_json(entry.path);
  if (path.extension() == ".model") return load_tokenizer_from_sentencepiece(entry.path);
  return load_tokenizer_from_gguf(GgufFile::open(entry.path));
}

}  // namespace speclab::engines
