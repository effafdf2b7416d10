#include "engines/training/train_drafter.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engines/families/catalogue.h"
#include "engines/training/ngram_trainer.h"
#include "engines/training/text_corpus.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_transformer_trainer.h"
#include "engines/training/torch/mlp_speculator_trainer.h"
#include "engines/training/torch/small_transformer_trainer.h"
#include "engines/training/torch/training_device.h"
#include "sim/system/errors.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

/// Drafters that share the target's table take its rows for states.
void require_table_of_states(const DecoderShape& target, const std::string& model) {
  if (target.table_width() == target.hidden_size && target.hidden_size % 16 == 0) return;
  throw ConfigError(fmt::format(
      "drafter.kind: the table of target '{}' is {} wide, its states {}; allowed: targets whose "
      "table has the width of their states, a multiple of 16; or drafter.kind = \"ngram\"",
      escaped(model, 60), target.table_width(), target.hidden_size));
}

TargetEmbedding read_embedding(const std::string& model) {
  const ModelSource source = open_model(model);
  const DecoderShape& config = source.config;
  require_table_of_states(config, model);
  return {config.vocab_size,
          config.hidden_size,
          config.context_length,
          source.weights->read(TensorRole::embedding, 0),
          model,
          source.weights->sha256()};
}

/// A catalogue name, or a path that holds in every working directory.
std::string lasting_name(const std::string& model) {
  const bool is_catalogue_name = std::ranges::any_of(
      model_catalogue(), [&](const CatalogueEntry& entry) { return entry.name == model; });
  return is_catalogue_name ? model : std::filesystem::absolute(model).string();
}

FeatureTarget read_feature_target(const std::string& model) {
  const ModelSource source = open_model(model);
  require_table_of_states(source.config, model);
  return {source.config, lasting_name(model), source.weights->sha256(),
          source.weights->read(TensorRole::embedding, 0),
          source.weights->read(TensorRole::head, 0)};
}

}  // namespace

void train_drafter(LanguageModel& target, const std::shared_ptr<const Tokenizer>& tokenizer,
                   const std::string& target_model, const TrainOptions& asked,
                   const TrainCallbacks& callbacks) {
  TrainOptions options = asked;
  for (std::string* folder :
       {&options.distillation.start_from, &options.distillation.vocabulary_from})
    *folder = newest_version(*folder);
  check_training(options, target.info());
  check_training_device(options.schedule);
  const TrainerTraits trainer = options.trainer();
  if (trainer.makes_feature_layers())
    check_feature_transformer_start(options, target.info().sha256);
  if (trainer.makes_stages()) check_mlp_speculator_start(options, target.info().sha256);
  if (trainer.steps()) require_table_of_states(open_model(target_model).config, target_model);
  const std::int32_t shortest =
      trainer.counts() ? options.ngram.order : options.text.sequence_length;
  Corpora corpora = read_corpora(options.text, *tokenizer, static_cast<std::size_t>(shortest));
  const OutputFolder folder(options.output);
  std::vector<OwnText> texts;
  if (!options.own_text.prompts.empty())
    texts = make_own_text(target, tokenizer, options.own_text, callbacks);
  if (trainer.counts()) return train_ngrams(target.info(), texts, corpora, options, callbacks);
  if (!corpora.training.empty()) {
    FileText file_text = make_file_text(target, std::move(corpora), options, callbacks);
    texts = std::move(file_text.texts);
    options.schedule.validation_sequences = file_text.held_out;
  }
  if (trainer.makes_feature_layers())
    return train_feature_transformer(texts, read_feature_target(target_model), options, callbacks);
  if (trainer.makes_stages())
    return train_mlp_speculator(texts, read_feature_target(target_model), options, callbacks);
  train_small_transformer(texts, read_embedding(target_model), options, callbacks);
}

}  // namespace speclab::engines
