#include "engines/families/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engines/families/family.h"
#include "engines/families/feature_transformer.h"
#include "engines/families/widened_model.h"
#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/gguf_file.h"
#include "engines/formats/input_file.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "sim/core/setting.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/kept_digests.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

/// A model that scripts/fetch_model joins; scripts/packages/models.tsv has the same digest.
CatalogueEntry fetched(const char* name, const char* file, const char* description,
                       const char* sha256) {
  return {name,   fetched_file(std::string("models/") + file), std::nullopt, description,
          sha256, std::string("scripts/fetch_model ") + name};
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

/// The default model, which takes the sizes behind the prefix.
std::optional<CatalogueEntry> widened_entry(const std::string& model) {
  std::optional<std::string> shape = wide_shape_of(model);
  if (!shape) return std::nullopt;
  CatalogueEntry entry = model_catalogue().front();
  entry.name = model;
  entry.wide_shape = *std::move(shape);
  return entry;
}

/// The entry that a name means, or "NAME/v1" of a drafter.
std::optional<CatalogueEntry> named_entry(const std::string& model) {
  if (std::optional<CatalogueEntry> entry = widened_entry(model)) return entry;
  for (CatalogueEntry& entry : model_catalogue()) {
    if (entry.name == model) return entry;
    if (version_of_path(model) == 0 || !entry.path.starts_with(project_models_folder()) ||
        version_folder(entry.name, version_of_path(model)) != model)
      continue;
    entry.path = version_folder(entry.path, version_of_path(model));
    entry.fetched_by = "speclab models inspect " + entry.name + ", which tells the newest version";
    return entry;
  }
  return std::nullopt;
}

CatalogueEntry find_model(const std::string& model) {
  if (std::optional<CatalogueEntry> entry = named_entry(model)) {
    if (!entry->shape && !is_there(entry->path))
      throw ConfigError(
          fmt::format("model '{}' is not at {}; run {}", model, entry->path, entry->fetched_by));
    entry->path = newest_version(entry->path);
    return *std::move(entry);
  }
  if (is_there(model)) return {model_name_of_path(model), newest_version(model), std::nullopt, ""};
  std::vector<NamedModel> known;
  for (const CatalogueEntry& entry : model_catalogue())
    known.push_back({entry.name, entry.description, entry.fetched_by});
  refuse_missing_model(model, known);
}

struct FoundTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::string problem{};
};

/// A tokenizer that cannot be read leaves a model that runs on ids.
template <typename Load>
FoundTokenizer found_tokenizer(const Load& load) {
  try {
    return {load()};
  } catch (const ModelFileError& error) {
    return {nullptr, error.what()};
  }
}

/// Null where the file has none.
std::shared_ptr<const Tokenizer> tokenizer_of(const GgufFile& file) {
  const auto kind = file.metadata().find<std::string>("tokenizer.ggml.model");
  return kind.value_or("none") == "none" ? nullptr : load_tokenizer_from_gguf(file);
}

ModelSource open_gguf(const std::string& path) {
  const auto file = std::make_shared<GgufFile>(GgufFile::open(path));
  const DecoderShape config = shape_from_gguf(*file);
  auto weights = decoder_weights_from_gguf(file, config);
  FoundTokenizer found = found_tokenizer([&] { return tokenizer_of(*file); });
  return {config, std::move(weights), std::move(found.tokenizer), std::move(found.problem)};
}

/// The weights are compared with the digest in the folder's manifest.json, if it has one.
std::shared_ptr<CheckpointFolder> open_checkpoint(const std::string& path) {
  auto folder = std::make_shared<CheckpointFolder>(CheckpointFolder::open(path));
  if (std::error_code none; std::filesystem::exists(path + "/manifest.json", none))
    check_recorded_digest(path, "model.safetensors",
                          kept_digests_of_user().of_files(folder->weight_paths()));
  return folder;
}

/// The rows of its head that a small transformer comes with; a feature transformer has those of its
/// draft vocabulary only.
enum class Head { whole, drafted };

ModelSource open_plain(const CatalogueEntry& entry, Head head);

/// The tokenizer is the target's business.
ModelSource open_feature_transformer(const std::string& path) {
  FeatureTransformerConfig config = read_feature_transformer_config(path + "/config.json");
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
  auto weights = decoder_weights_from_checkpoint(folder, config);
  FoundTokenizer found = found_tokenizer([&] { return load_tokenizer_from_folder(path); });
  return {config, std::move(weights), std::move(found.tokenizer), std::move(found.problem)};
}

/// Flipped bits among the weights would give text, only worse.
void check_pinned(const CatalogueEntry& entry, const std::string& found) {
  if (found == entry.sha256) return;
  throw_model_file_error(
      entry.path, 0,
      {"sha256", found, entry.sha256,
       "the file is damaged or another one: delete it and run " + entry.fetched_by});
}

/// Every model but a feature transformer, which needs another one.
ModelSource open_plain(const CatalogueEntry& entry, Head head) {
  if (entry.shape) return {*entry.shape, random_decoder_weights(*entry.shape, 1), nullptr};
  ModelSource source =
      is_folder(entry.path) ? open_folder(entry.path, head) : open_gguf(entry.path);
  if (!entry.sha256.empty()) check_pinned(entry, source.weights->sha256());
  if (entry.wide_shape.empty()) return source;
  source.config.name = model_catalogue().front().name;
  const WideSizes sizes = wide_sizes(entry.wide_shape, source.config);
  return widened_model(std::move(source), sizes);
}

/// Refuses a path that is no model at all, before anything of it is read.
void refuse_other_kinds(const std::string& path) {
  if (is_folder(path)) return refuse_other_folder(path);
  refuse_part_of_folder(path);
}

ModelSource open_with(const std::string& model, Head head) {
  const CatalogueEntry entry = find_model(model);
  if (!entry.shape) refuse_other_kinds(entry.path);
  if (!entry.shape && is_folder(entry.path) && is_mlp_speculator_folder(entry.path))
    throw ConfigError(
        fmt::format("model '{}' is an MLP speculator, which drafts from another model's hidden "
                    "states; allowed: the drafter mlp_speculator with it as its model",
                    escaped(model)));
  const bool reads_features =
      !entry.shape && is_folder(entry.path) && is_feature_transformer_folder(entry.path);
  ModelSource source =
      reads_features ? open_feature_transformer(entry.path) : open_plain(entry, head);
  source.config.name = entry.name;
  return source;
}

/// Types that are not read as numbers count without their bytes.
std::vector<StoredWeights> weights_by_type(const WeightSource& source) {
  std::map<std::string, StoredWeights> types;
  for (const TensorInfo& tensor : source.tensors()) {
    StoredWeights& stored = types[tensor.dtype];
    ++stored.num_tensors;
    if (const BlockFormat* format = find_block_format(tensor.dtype))
      stored.bytes += tensor.num_elements / format->block_elements * format->block_bytes;
  }
  std::vector<StoredWeights> list;
  for (auto& [type, stored] : types) {
    stored.type = type;
    list.push_back(stored);
  }
  return list;
}

}  // namespace

std::string project_models_folder() { return data_folder() + "/results/models"; }

std::vector<CatalogueEntry> model_catalogue() {
  std::vector<CatalogueEntry> entries = {
      {"smollm2-135m", fetched_file("models/smollm2-135m-instruct-q4_1.gguf"), std::nullopt,
       "SmolLM2-135M-Instruct, Q4_1 (Apache-2.0)",
       "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
      fetched("qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
              "Qwen2.5-Coder-0.5B-Instruct, Q4_K_M (Apache-2.0)",
              "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"),
      fetched("qwen2.5-coder-1.5b", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
              "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M (Apache-2.0)",
              "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"),
      fetched("gemma3-270m", "gemma-3-270m-q4_k_m.gguf",
              "Gemma 3 270M, Q4_K_M (Gemma Terms of Use)",
              "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"),
      {"smollm2-drafter", project_models_folder() + "/smollm2-drafter", std::nullopt,
       "small transformer that drafts for smollm2-135m"},
      {"smollm2-feature", project_models_folder() + "/smollm2-feature", std::nullopt,
       "drafts for smollm2-135m from its hidden states"},
      {"smollm2-mlp", project_models_folder() + "/smollm2-mlp", std::nullopt,
       "MLP speculator for smollm2-135m"}};
  for (DecoderShape& shape : shape_models()) {
    std::string description =
        fmt::format("random weights, {:.0f}M parameters: its time is real, its text is not",
                    static_cast<double>(shape.num_parameters()) / 1e6);
    std::string name = shape.name;
    entries.push_back({std::move(name), "", std::move(shape), std::move(description)});
  }
  return entries;
}

std::string model_path(const std::string& model) {
  const std::optional<CatalogueEntry> entry = named_entry(model);
  return newest_version(entry ? entry->path : model);
}

ModelSource open_model(const std::string& model) { return open_with(model, Head::whole); }

ModelSource open_draft_model(const std::string& model) { return open_with(model, Head::drafted); }

std::vector<StoredWeights> stored_weights(const std::string& model) {
  const CatalogueEntry entry = find_model(model);
  if (entry.shape) return {};
  refuse_other_kinds(entry.path);
  if (is_folder(entry.path)) return weights_by_type(CheckpointFolder::open(entry.path));
  return weights_by_type(GgufFile::open(entry.path));
}

MlpSpeculatorSource open_mlp_speculator(const std::string& model) {
  const CatalogueEntry entry = find_model(model);
  if (entry.shape || !is_folder(entry.path) || !is_mlp_speculator_folder(entry.path))
    throw ConfigError(
        fmt::format("drafter model '{}' is no MLP speculator; allowed: a folder that speclab train "
                    "made of the kind mlp_speculator, or a published one",
                    escaped(model)));
  MlpSpeculatorConfig config = read_mlp_speculator_config(entry.path + "/config.json");
  config.name = entry.name;
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
