#include "engines/training/torch/feature_transformer_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engines/formats/json_file.h"
#include "engines/formats/safetensors_file.h"
#include "engines/models/llama/feature_transformer.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_transformer_task.h"
#include "engines/training/torch/transformer_manifest.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

LlamaConfig drafter_config(const LlamaConfig& target, const FeatureTransformerOptions& options, std::vector<Token> draft_vocabulary) {
  LlamaConfig config = target;
  config.num_layers = options.num_layers;
  config.intermediate_size = options.intermediate_size;
  config.feature_size = target.hidden_size;
  config.draft_vocabulary = std::move(draft_vocabulary);
  config.tied_embeddings = false;
  config.validate("the drafter's shape");
  return config;
}

std::string config_file(const std::string& folder) { return folder + "/config.json"; }

/// Of a drafter that is gone on from; the SHA-256 of its weights alone where it has none.
nlohmann::ordered_json manifest_of_start(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  std::error_code none;
  if (std::filesystem::exists(path, none)) return read_json_file(path);
  return {{"sha256", sha256_file(weights_file(folder))}};
}

std::string digest_of(const TextSplit& texts, const FeatureTarget& target, const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  return sha256_text(fmt::format("{} {} {} {} {} {} {} {} {}", target.sha256, o.num_layers, o.intermediate_size, o.draft_vocabulary, o.unrolled_steps, o.step_weight, o.feature_weight,
                                 o.start_from.empty() ? "random" : sha256_file(weights_file(o.start_from)) + sha256_file(config_file(o.start_from)), training_digest(texts, options)));
}

/// Of a drafter that goes on from another it holds the other's manifest too, if there is one.
nlohmann::ordered_json manifest_of(const TrainingTask& task, const TextSplit& texts, const FeatureTarget& target, const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  nlohmann::ordered_json manifest = transformer_manifest(task, texts, options, {target.name, target.sha256});
  manifest["objective"] = {{"unrolled_steps", o.unrolled_steps}, {"step_weight", o.step_weight}, {"feature_weight", o.feature_weight}};
  if (!o.start_from.empty()) manifest["start_from"] = manifest_of_start(o.start_from);
  return manifest;
}

}  // namespace

std::vector<Token> frequent_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size, std::int32_t count) {
  std::vector<double> weight(static_cast<std::size_t>(vocab_size), 0.0);
  for (const OwnText* text : texts) {
    for (std::size_t i = static_cast<std::size_t>(text->prompt_length); i < text->tokens.size(); ++i) weight[static_cast<std::size_t>(text->tokens[i])] += 1;
    for (const TopLaw& law : text->laws)
      for (std::size_t k = 0; k < TopLaw::kSize; ++k) weight[static_cast<std::size_t>(law.tokens[k])] += static_cast<double>(law.probabilities[k]);
  }
  std::vector<Token> tokens(static_cast<std::size_t>(vocab_size));
  std::iota(tokens.begin(), tokens.end(), 0);
  std::stable_sort(tokens.begin(), tokens.end(), [&](Token a, Token b) { return weight[static_cast<std::size_t>(a)] > weight[static_cast<std::size_t>(b)]; });
  tokens.resize(static_cast<std::size_t>(count));
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

void check_start(const FeatureTransformerOptions& options, const std::string& target_sha256) {
  if (options.start_from.empty()) return;
  const std::string path = config_file(options.start_from);
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) || !is_feature_transformer_folder(options.start_from))
    throw ConfigError(fmt::format("drafter.start_from = '{}'; allowed: a folder that speclab train made of the kind feature_transformer", escaped(options.start_from)));
  const FeatureTransformerConfig found = read_feature_transformer_config(path);
  if (found.target_sha256 != target_sha256) throw ConfigError(fmt::format("drafter.start_from: {} was trained for a target of SHA-256 {}; this one has {}", path, found.target_sha256, target_sha256));
  const auto check = [&](const char* key, std::int32_t wanted, std::int32_t allowed) {
    if (wanted != allowed) throw ConfigError(fmt::format("{} = {}; allowed: {}, as in {}, which drafter.start_from goes on from", key, wanted, allowed, path));
  };
  check("drafter.num_layers", options.num_layers, found.shape.num_layers);
  check("drafter.intermediate_size", options.intermediate_size, found.shape.intermediate_size);
  check("drafter.draft_vocabulary", options.draft_vocabulary, static_cast<std::int32_t>(found.shape.draft_vocabulary.size()));
  SafetensorsFile::open(weights_file(options.start_from));
  manifest_of_start(options.start_from);
}

void train_feature_transformer(const std::vector<OwnText>& texts, const FeatureTarget& target, const TrainOptions& options, const TrainCallbacks& callbacks) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  check_start(o, target.sha256);
  const TextSplit split = split_texts(texts, static_cast<std::size_t>(options.schedule.validation_sequences));
  const LlamaConfig config = o.start_from.empty() ? drafter_config(target.config, o, frequent_tokens(split.training, target.config.vocab_size, o.draft_vocabulary))
                                                  : read_feature_transformer_config(config_file(o.start_from)).shape;
  const std::unique_ptr<TrainingTask> task = feature_transformer_task(config, target, options);
  if (!o.start_from.empty()) read_parameters(o.start_from, task->parameters());
  make_folder(options.output);
  const std::string curve = run_training(split, *task, {options.schedule, checkpoint_file(options.output), digest_of(split, target, options)}, callbacks);
  const DrafterNotes notes{curve, manifest_of(*task, split, target, options)};
  write_drafter(task->parameters(), notes, options.output, [&](const std::string& path) { write_feature_transformer_config({config, target.name, target.sha256}, path); });
}

}  // namespace speclab::engines
