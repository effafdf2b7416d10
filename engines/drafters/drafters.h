#pragma once
// One file a drafter; this is their list. Adding one is a file, a line here and a line in drafters.cpp.

#include <memory>
#include <string>
#include <vector>

#include "engines/interface/drafter.h"
#include "engines/interface/language_model.h"
#include "engines/interface/mlp_speculator.h"
#include "engines/interface/round_decoder.h"
#include "engines/ngrams/ngram_model.h"
#include "sim/core/token_tree.h"

namespace speclab::engines {

/// Drafts nothing: the loop with it gives plain decoding's tokens.
std::unique_ptr<Drafter> make_null_drafter();

/// Successors of the last tokens, drawn from an n-gram model's law, which the sampling temperature sharpens.
std::unique_ptr<Drafter> make_ngram_drafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options);

/// Copies what followed the latest earlier occurrence of the last tokens. @source Saxena 2023, prompt lookup decoding
/// @param vocab_size  of the target
std::unique_ptr<Drafter> make_prompt_lookup_drafter(const DecoderOptions& options, std::int32_t vocab_size);

/// Where prompt lookup has something to copy, a mixture of the copied token, of weight lookup_weight, and the n-gram model's
/// law; elsewhere that law. At temperature 0: the copied token, else the model's most likely one.
/// @throws ConfigError unless 0 < lookup_weight <= 1
/// @source cache language models: Kuhn and De Mori 1990
std::unique_ptr<Drafter> make_lookup_ngram_drafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options);

/// A small language model of the target's vocabulary, or one that reads the target's hidden states, drafts a chain or a tree.
std::unique_ptr<Drafter> make_small_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options);
/// A model that reads the target's hidden states drafts a chain or a tree. @throws ConfigError if this one reads none
std::unique_ptr<Drafter> make_feature_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options);

/// An MLP speculator drafts a chain or a tree, no deeper than it has stages.
std::unique_ptr<Drafter> make_mlp_speculator_drafter(std::shared_ptr<MlpSpeculator> model, const DecoderOptions& options);

/// A transformer, with or without hidden states, mixed with prompt lookup as make_lookup_ngram_drafter mixes n-grams; at temperature 0 the
/// copy is drafted where there is one. @throws ConfigError unless 0 < lookup_weight <= 1
std::unique_ptr<Drafter> make_lookup_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options);

/// Gives the models that drafters read; lets the factory own loading and its options.
class DrafterModels {
 public:
  virtual ~DrafterModels() = default;
  /// @param kind  of the drafter, for those that name no model
  virtual std::shared_ptr<LanguageModel> language_model(const std::string& kind, const std::string& model) = 0;
  /// The project's own where `model` is empty.
  virtual std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string& model) = 0;
  /// @param kind  of the drafter, for those that name no path
  virtual std::shared_ptr<const NgramModel> ngrams(const std::string& kind, const std::string& path) = 0;
};

std::vector<std::string> drafter_kinds();
/// @throws ConfigError if a known kind, or "plain", is given a tree or a model that it would not use
void check_drafter_options(const DrafterOptions& drafter);
/// @param target  whose vocabulary the drafter must share
/// @throws ConfigError on an unknown kind (naming those there are), options that the kind has not, or another vocabulary
std::unique_ptr<Drafter> make_drafter(const DecoderOptions& options, const ModelInfo& target, DrafterModels& models);

}  // namespace speclab::engines
