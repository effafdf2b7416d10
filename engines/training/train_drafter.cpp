#include "engines/training/train_drafter.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engines/families/catalogue.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "engines/training/ngram_trainer.h"
#include "engines/training/text_corpus.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/feature_transformer_trainer.h"
#include "engines/training/torch/mlp_speculator_trainer.h"
#include "engines/training/torch/small_transformer_trainer.h"
#include "engines/training/torch/training_device.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/utf8.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

/// Drafters that share the target's table take its rows for states.
void require_table_of_states(const DecoderShape& target, const std::string& model) {
  const std::int32_t states = target.counting_width();
  if (target.table_width() == states && states % 16 == 0) return;
  throw ConfigError(fmt::format(
      "drafter.kind: the table of target '{}' is {} wide, its states {}; allowed: targets whose "
      "table has the width of their states, a multiple of 16; or drafter.kind = \"ngram\"",
      escaped(model, 60), target.table_width(), states));
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

using Json = nlohmann::ordered_json;

constexpr const char* kEndOfText = "<|endoftext|>";
constexpr int kBytes = 256;

/// The characters of the byte-level alphabet, which all lie below U+0200, with the byte that each
/// stands for.
Json byte_vocabulary() {
  Json vocabulary = Json::object();
  for (char32_t code = 0; code < 2 * kBytes; ++code)
    if (const auto bytes = bytes_of_token_text(utf8_of(code)))
      vocabulary[utf8_of(code)] = static_cast<unsigned char>(bytes->front());
  return vocabulary;
}

/// Writes tokenizer.json and tokenizer_config.json of a vocabulary of the 256 bytes, whose ids they
/// are, and an end of text, 256: the smallest that spells every text. @throws WriteError
void write_byte_tokenizer(const std::string& folder) {
  const Json end_of_text{{"id", kBytes},    {"content", kEndOfText}, {"single_word", false},
                         {"lstrip", false}, {"rstrip", false},       {"normalized", false},
                         {"special", true}};
  const Json byte_level{{"type", "ByteLevel"},
                        {"add_prefix_space", false},
                        {"trim_offsets", true},
                        {"use_regex", true}};
  const Json model{{"type", "BPE"},
                   {"dropout", nullptr},
                   {"unk_token", nullptr},
                   {"continuing_subword_prefix", nullptr},
                   {"end_of_word_suffix", nullptr},
                   {"fuse_unk", false},
                   {"byte_fallback", false},
                   {"vocab", byte_vocabulary()},
                   {"merges", Json::array()}};
  const Json tokenizer{{"version", "1.0"},
                       {"truncation", nullptr},
                       {"padding", nullptr},
                       {"added_tokens", Json::array({end_of_text})},
                       {"normalizer", nullptr},
                       {"pre_tokenizer", byte_level},
                       {"post_processor", nullptr},
                       {"decoder", byte_level},
                       {"model", model}};
  write_file(folder + "/tokenizer.json", tokenizer.dump(1) + "\n");
  write_file(
      folder + "/tokenizer_config.json",
      Json{{"tokenizer_class", "PreTrainedTokenizerFast"}, {"eos_token", kEndOfText}}.dump(1) +
          "\n");
}

/// A stretch as if a target had emitted each of its tokens for certain.
OwnText certain_text(TextStretch stretch) {
  OwnText text{1, 1.0f, {stretch.begin(), stretch.end()}, {}, {}};
  for (const Token token : stretch.subspan(1)) {
    TopLaw law{};
    law.tokens[0] = token;
    law.probabilities[0] = 1.0f;
    text.laws.push_back(law);
  }
  return text;
}

/// A token's law takes 260 bytes while it is trained on.
void check_size(const FileStretches& stretches, std::int32_t length) {
  constexpr std::size_t kMostTokens = 16'000'000;
  if (const std::size_t tokens = stretches.all.size() * static_cast<std::size_t>(length);
      tokens > kMostTokens)
    throw ConfigError(fmt::format(
        "text.files have {} tokens to train on; allowed: at most {}; give text.max_sequences",
        tokens, kMostTokens));
}

/// @param folder  for its file, gone afterwards: what stands in the drafter's stays until it is
/// trained
std::shared_ptr<const Tokenizer> byte_tokenizer(const std::string& folder) {
  make_folder(folder);
  write_byte_tokenizer(folder);
  auto tokenizer = load_tokenizer_from_json(folder + "/tokenizer.json");
  std::filesystem::remove_all(folder);
  return tokenizer;
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

void train_language_model(const TrainOptions& asked, const TrainCallbacks& callbacks) {
  TrainOptions options = asked;
  check_language_model(options);
  check_training_device(options.schedule);
  const OutputFolder folder(options.output);
  const auto tokenizer = byte_tokenizer(options.output + "/tokenizer.part");
  const FileStretches stretches =
      file_stretches(read_corpora(options.text, *tokenizer,
                                  static_cast<std::size_t>(options.text.sequence_length)),
                     options);
  check_size(stretches, options.text.sequence_length);
  options.schedule.validation_sequences = stretches.held_out;
  std::vector<OwnText> texts;
  for (const TextStretch& stretch : stretches.all) texts.push_back(certain_text(stretch));
  train_byte_transformer(texts, tokenizer->vocab_size(), options, callbacks,
                         [&] { write_byte_tokenizer(options.output); });
}

}  // namespace speclab::engines
