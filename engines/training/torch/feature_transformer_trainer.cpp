#include "engines/training/torch/feature_transformer_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engines/formats/json_file.h"
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

/// @throws ConfigError if the folder is of another target or shape
LlamaConfig config_to_go_on_from(const FeatureTransformerOptions& options, const FeatureTarget& target) {
  const std::string path = options.start_from + "/config.json";
  const FeatureTransformerConfig found = read_feature_transformer_config(path);
  if (found.target_sha256 != target.sha256) throw ConfigError(fmt::format("drafter.start_from: {} was trained for a target of SHA-256 {}; this one has {}", path, found.target_sha256, target.sha256));
  const LlamaConfig& shape = found.shape;
  const auto drafted = static_cast<std::int32_t>(shape.draft_vocabulary.size());
  if (shape.num_layers != options.num_layers || shape.intermediate_size != options.intermediate_size || drafted != options.draft_vocabulary)
    throw ConfigError(fmt::format("drafter.start_from: {} has num_layers = {}, intermediate_size = {}, draft_vocabulary = {}; set drafter to the same", path, shape.num_layers, shape.intermediate_size, drafted));
  return shape;
}

std::string digest_of(const TextSplit& texts, const FeatureTarget& target, const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  return sha256_text(fmt::format("{} {} {} {} {} {} {} {} {}", target.sha256, o.num_layers, o.intermediate_size, o.draft_vocabulary, o.unrolled_steps, o.step_weight, o.feature_weight,
                                 o.start_from.empty() ? "random" : sha256_file(weights_file(o.start_from)), training_digest(texts, options)));
}

/// Of a drafter that goes on from another it holds the other's manifest too, if there is one.
nlohmann::ordered_json manifest_of(const TrainingTask& task, const TextSplit& texts, const FeatureTarget& target, const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  nlohmann::ordered_json manifest = transformer_manifest(task, texts, options, target.name, target.sha256);
  manifest["objective"] = {{"unrolled_steps", o.unrolled_steps}, {"step_weight", o.step_weight}, {"feature_weight", o.feature_weight}};
  const std::string before = o.start_from + "/manifest.json";
  if (!o.start_from.empty()) manifest["start_from"] = std::filesystem::exists(before) ? nlohmann::ordered_json(read_json_file(before)) : nlohmann::ordered_json{{"sha256", sha256_file(weights_file(o.start_from))}};
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

void train_feature_transformer(const std::vector<OwnText>& texts, const FeatureTarget& target, const TrainOptions& options, const TrainCallbacks& callbacks) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  const TextSplit split = split_texts(texts, static_cast<std::size_t>(options.schedule.validation_sequences));
  const LlamaConfig config = o.start_from.empty() ? drafter_config(target.config, o, frequent_tokens(split.training, target.config.vocab_size, o.draft_vocabulary))
                                                  : config_to_go_on_from(o, target);
  const std::unique_ptr<TrainingTask> task = feature_transformer_task(config, target, options);
  if (!o.start_from.empty()) read_parameters(o.start_from, task->parameters());
  make_folder(options.output);
  const std::string curve = run_training(split, *task, {options.schedule, checkpoint_file(options.output), digest_of(split, target, options)}, callbacks);
  const DrafterNotes notes{curve, manifest_of(*task, split, target, options)};
  write_drafter(task->parameters(), notes, options.output, [&](const std::string& path) { write_feature_transformer_config({config, target.name, target.sha256}, path); });
}

}  // namespace speclab::engines
