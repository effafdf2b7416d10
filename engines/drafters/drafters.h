#pragma once
// The drafters by name. Those that grow chains and trees differ in where their next tokens come
// from: next_token_sources.h.

#include <memory>
#include <string>
#include <vector>

#include "engines/drafters/bridges.h"
#include "engines/interface/drafter.h"
#include "engines/interface/language_model.h"
#include "engines/interface/mlp_speculator.h"
#include "engines/interface/round_decoder.h"
#include "engines/ngrams/ngram_model.h"
#include "sim/core/token_tree.h"

namespace speclab::engines {

/// Drafts nothing: the loop with it gives plain decoding's tokens.
std::unique_ptr<Drafter> make_null_drafter();

/// Copies what followed the latest earlier occurrence of the last tokens. @source Saxena 2023,
/// prompt lookup decoding
/// @param vocab_size  of the target
std::unique_ptr<Drafter> make_prompt_lookup_drafter(const DecoderOptions& options,
                                                    std::int32_t vocab_size);

/// A small language model of the target's vocabulary, or one that reads the target's hidden states,
/// drafts a chain or a tree.
std::unique_ptr<Drafter> make_small_transformer_drafter(std::shared_ptr<LanguageModel> model,
                                                        const DecoderOptions& options);

/// Gives the models that drafters read; lets the factory own loading and its options.
class DrafterModels {
 public:
  virtual ~DrafterModels() = default;
  /// @param kind  of the drafter, for those that name no model
  virtual std::shared_ptr<LanguageModel> language_model(const std::string& kind,
                                                        const std::string& model) = 0;
  /// A model beside a bridge to the target.
  struct Bridged {
    std::shared_ptr<LanguageModel> model;
    Bridge bridge;
  };
  /// Nothing where the ids of both tokenizers agree, or where a model has none.
  /// @throws ConfigError if a bridge is asked for that cannot be built
  virtual std::optional<Bridged> bridged(const DecoderOptions&) { return std::nullopt; }
  /// The project's own where `model` is empty.
  virtual std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string& model) = 0;
  /// @param kind  of the drafter, for those that name no path
  virtual std::shared_ptr<const NgramModel> ngrams(const std::string& kind,
                                                   const std::string& path) = 0;
};

/// The model of a drafter whose kind reads a transformer.
/// @throws ConfigError if it has another vocabulary than the target, reads states that the target
/// does not have, or none where its kind reads some
std::shared_ptr<LanguageModel> fitting_transformer(const DrafterOptions& drafter,
                                                   const ModelInfo& target, DrafterModels& models);

/// Behind a mask (TextRules::mask) every kind drafts allowed tokens alone, forced ones for certain;
/// "none" drafts the forced ones.
/// @param target  whose vocabulary the drafter must share, unless a bridge leads there
/// @throws ConfigError on an unknown kind (naming those there are), options that the kind has not,
/// another vocabulary, or one transformer in two parts of a mixture, which would share its cache
std::unique_ptr<Drafter> make_drafter(const DecoderOptions& options, const ModelInfo& target,
                                      DrafterModels& models);

}  // namespace speclab::engines
