#pragma once
// The models that drafters read, each loaded once, and as a given target needs them.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engines/drafters/drafters.h"
#include "engines/factory/model_maker.h"

namespace speclab::engines {

/// Keeps what it has loaded, and the version that a name meant at first. An empty `model` is the
/// project's own for the kind of drafter.
class DrafterStore {
 public:
  /// @param maker  outlives the store
  explicit DrafterStore(ModelMaker& maker) : maker_(maker) {}

  /// A model, and its appearance to targets with another padding.
  struct Transformer {
    std::string name;
    std::shared_ptr<LanguageModel> model;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null where the model has none
    std::string tokenizer_problem{};             ///< why the one that it has cannot be read
    std::map<std::int32_t, std::shared_ptr<LanguageModel>> resized{};  ///< by size of vocabulary
  };
  Transformer& transformer(const std::string& kind, const std::string& model);
  /// The model with a head of these tokens only.
  std::shared_ptr<LanguageModel> trimmed_transformer(const std::string& kind,
                                                     const std::string& model,
                                                     const std::vector<Token>& tokens);
  std::shared_ptr<const SharedVocabulary> shared_vocabulary(const TokenizerPair& tokenizers);
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string& model);
  std::shared_ptr<const NgramModel> ngrams(const std::string& kind, const std::string& model);

  /// The model of a drafter with its record of training; nothing if the kind reads no model.
  std::optional<ModelInfo> info(const DrafterOptions& options);

 private:
  std::optional<ModelInfo> info_without_training(const DrafterOptions& options);
  ModelInfo ngram_info(const DrafterOptions& options);
  /// The version that the name meant when it was first asked for; other models are their name.
  const std::string& held(const std::string& name);

  ModelMaker& maker_;
  std::map<std::string, std::string> held_;
  std::map<std::string, Transformer> transformers_;
  std::map<std::pair<std::string, std::vector<Token>>, std::shared_ptr<LanguageModel>> trimmed_;
  using Tokenizers = std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>>;
  std::map<Tokenizers, std::shared_ptr<const SharedVocabulary>> shared_;  ///< drafter's, target's
  std::map<std::string, std::shared_ptr<MlpSpeculator>> mlp_speculators_;
  std::map<std::string, std::shared_ptr<const NgramModel>> ngrams_;
};

/// The models of a store, as one target needs them while its decoder is made.
class DraftersOfTarget final : public DrafterModels {
 public:
  /// @param tokenizer  of the target; may be null
  DraftersOfTarget(DrafterStore& store, const ModelInfo& target,
                   std::shared_ptr<const Tokenizer> tokenizer)
      : store_(store), target_(target), tokenizer_(std::move(tokenizer)) {}

  /// Sizes of vocabulary may differ if the tokenizers say that ids agree.
  /// @throws ConfigError if they say that ids differ, ModelFileError if the target's text has a
  /// tokenizer and the drafter's cannot be read
  std::shared_ptr<LanguageModel> language_model(const std::string& kind,
                                                const std::string& model) override;
  /// If no bridge is named, a greedy or constrained text crosses by look_behind, another by
  /// intersection.
  std::optional<Bridged> bridged(const DecoderOptions& options) override;
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string& model) override {
    return store_.mlp_speculator(model);
  }
  std::shared_ptr<const NgramModel> ngrams(const std::string& kind,
                                           const std::string& model) override {
    return store_.ngrams(kind, model);
  }

 private:
  DrafterStore& store_;
  const ModelInfo& target_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace speclab::engines
