#include "engines/training/torch/feature_transformer_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engines/models/llama/feature_transformer.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_transformer_task.h"
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

std::string digest_of(const TextSplit& texts, const FeatureTarget& target, const TrainOptions& options) {
  const FeatureTransformerOptions& o = options.feature_transformer;
  return sha256_text(fmt::format("{} {} {} {} {} {} {} {}", target.sha256, o.num_layers, o.intermediate_size, o.draft_vocabulary, o.unrolled_steps, o.step_weight, o.feature_weight,
                                 training_digest(texts, options)));
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
  const LlamaConfig config = drafter_config(target.config, o, frequent_tokens(split.training, target.config.vocab_size, o.draft_vocabulary));
  const std::unique_ptr<TrainingTask> task = feature_transformer_task(config, target, o, options.schedule.seed);
  make_folder(options.output);
  const std::string curve = run_training(split, *task, {options.schedule, checkpoint_file(options.output), digest_of(split, target, options)}, callbacks);
  write_drafter(task->parameters(), curve, options.output, [&](const std::string& path) { write_feature_transformer_config({config, target.name, target.sha256}, path); });
}

}  // namespace speclab::engines
