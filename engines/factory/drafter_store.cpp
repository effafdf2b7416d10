#include "engines/factory/drafter_store.h"

#include "engines/families/catalogue.h"
#include "engines/interface/drafter_checks.h"
#include "engines/interface/names.h"
#include "engines/models/wrapped_models.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/training/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/kept_digests.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

/// The model that a drafter of this kind reads: the project's own if none is named.
std::string model_name(const std::string& kind, const std::string& model) {
  if (!model.empty()) return model;
  const DrafterTraits traits = drafter_traits(kind);
  return (traits.reads_ngrams() ? project_models_folder() + "/" : "") + traits.model;
}

/// @throws ConfigError if there is none
void expect_shared_tokens(const SharedVocabulary& shared, const std::string& drafter,
                          const std::string& target) {
  if (shared.size() == 0)
    throw ConfigError("the tokenizers of " + escaped(drafter, 100) + " and " +
                      escaped(target, 100) +
                      " share no token; allowed: the bridges re_encode and look_behind");
}

/// @throws ConfigError if a token of the drafter's tokenizer that spells a text has no row in its
/// model
void check_rows(const DrafterStore::Transformer& drafter) {
  const std::int32_t rows = drafter.model->info().vocab_size;
  for (Token token = rows; token < drafter.tokenizer->vocab_size(); ++token)
    if (const std::string text = drafter.tokenizer->token_bytes(token); !text.empty())
      throw ConfigError("drafter '" + escaped(drafter.name, 100) + "': token " +
                        std::to_string(token) + " ('" + escaped(text, 40) +
                        "') of its tokenizer has no row in its model of " + std::to_string(rows) +
                        "; allowed: a model with a row for every token");
}

/// The drafter's shared tokens that its model has.
std::vector<Token> shared_rows(const SharedVocabulary& shared, const ModelInfo& drafter) {
  std::vector<Token> tokens = shared.draft_tokens();
  std::erase_if(tokens, [&](Token token) { return token >= drafter.vocab_size; });
  return tokens;
}

/// The bridge that is taken if none is named. Behind a mask the model has to read every forced
/// token.
std::string usual_bridge(const SamplingOptions& sampling) {
  return sampling.temperature == 0 || sampling.rules.mask ? "look_behind" : "intersection";
}

}  // namespace

const std::string& DrafterStore::held(const std::string& name) {
  if (const auto found = held_.find(name); found != held_.end()) return found->second;
  const std::string path = model_path(name);
  return held_.emplace(name, version_of_path(path) > 0 ? path : name).first->second;
}

DrafterStore::Transformer& DrafterStore::transformer(const std::string& kind,
                                                     const std::string& model) {
  const std::string name = model_name(kind, model);
  Transformer& loaded = transformers_[name];
  if (!loaded.model) {
    const ModelSource source = open_draft_model(held(name));
    loaded = {name, maker_.language_model(source, ModelMaker::Part::drafter), source.tokenizer,
              source.tokenizer_problem};
  }
  return loaded;
}

std::shared_ptr<LanguageModel> DrafterStore::trimmed_transformer(const std::string& kind,
                                                                 const std::string& model,
                                                                 const std::vector<Token>& tokens) {
  const std::string name = model_name(kind, model);
  std::shared_ptr<LanguageModel>& loaded = trimmed_[{name, tokens}];
  if (!loaded)
    loaded = maker_.language_model(with_trimmed_head(open_draft_model(held(name)), tokens),
                                   ModelMaker::Part::drafter);
  return loaded;
}

std::shared_ptr<const SharedVocabulary> DrafterStore::shared_vocabulary(
    const TokenizerPair& tokenizers) {
  std::shared_ptr<const SharedVocabulary>& shared =
      shared_[{tokenizers.drafter, tokenizers.target}];
  if (!shared) shared = std::make_shared<SharedVocabulary>(*tokenizers.drafter, *tokenizers.target);
  return shared;
}

std::shared_ptr<MlpSpeculator> DrafterStore::mlp_speculator(const std::string& model) {
  const std::string name = model_name(kMlpSpeculatorKind, model);
  std::shared_ptr<MlpSpeculator>& loaded = mlp_speculators_[name];
  if (!loaded) loaded = maker_.mlp_speculator(open_mlp_speculator(held(name)));
  return loaded;
}

std::shared_ptr<const NgramModel> DrafterStore::ngrams(const std::string& kind,
                                                       const std::string& model) {
  const std::string path = model_name(kind, model);
  std::shared_ptr<const NgramModel>& loaded = ngrams_[path];
  if (!loaded) loaded = std::make_shared<NgramModel>(load_ngrams(held(path)));
  return loaded;
}

std::optional<ModelInfo> DrafterStore::info(const DrafterOptions& options) {
  std::optional<ModelInfo> info = info_without_training(options);
  if (!info) return info;
  const std::string path = model_path(held(model_name(options.kind, options.model)));
  info->training = read_training_record(path);
  info->version = version_name(path);
  return info;
}

std::optional<ModelInfo> DrafterStore::info_without_training(const DrafterOptions& options) {
  const DrafterTraits traits = options.traits();
  if (traits.reads_transformer()) return transformer(options.kind, options.model).model->info();
  if (traits.reads_stages()) return mlp_speculator(options.model)->info();
  if (!traits.reads_ngrams()) return std::nullopt;
  return ngram_info(options);
}

ModelInfo DrafterStore::ngram_info(const DrafterOptions& options) {
  const auto model = ngrams(options.kind, options.model);
  ModelInfo info;
  info.name = ngram_file(held(model_name(options.kind, options.model)));
  info.family = "ngram";
  info.sha256 = kept_digests_of_user().of_file(info.name);
  info.vocab_size = model->vocab_size();
  info.num_parameters = model->num_ngrams();
  return info;
}

std::shared_ptr<LanguageModel> DraftersOfTarget::language_model(const std::string& kind,
                                                                const std::string& model) {
  SPECLAB_EXPECT(drafter_traits(kind).reads_transformer(),
                 "a drafter that reads a transformer, not " + kind);
  DrafterStore::Transformer& drafter = store_.transformer(kind, model);
  const ModelInfo& info = drafter.model->info();
  if (tokenizer_ && !drafter.tokenizer_problem.empty())
    throw ModelFileError(drafter.tokenizer_problem);
  if (!drafter.tokenizer || !tokenizer_) return drafter.model;
  check_same_vocabulary({*drafter.tokenizer, drafter.name}, {*tokenizer_, target_.name});
  if (info.vocab_size == target_.vocab_size || !info.draft_vocabulary.empty()) return drafter.model;
  std::shared_ptr<LanguageModel>& resized = drafter.resized[target_.vocab_size];
  if (!resized) resized = with_vocabulary_size(drafter.model, target_.vocab_size);
  return resized;
}

std::optional<DrafterModels::Bridged> DraftersOfTarget::bridged(const DecoderOptions& options) {
  const DrafterOptions& asked = options.drafter;
  const DrafterStore::Transformer& drafter = store_.transformer(asked.kind, asked.model);
  const bool is_named = asked.bridge != "auto";
  if (!drafter.tokenizer || !tokenizer_) {
    if (!is_named) return std::nullopt;
    throw ConfigError("bridge '" + asked.bridge +
                      "': " + escaped(tokenizer_ ? drafter.name : target_.name, 100) +
                      " has no tokenizer; allowed: models that have one");
  }
  if (!is_named && !first_other_token(*drafter.tokenizer, *tokenizer_)) return std::nullopt;
  check_rows(drafter);
  const TokenizerPair tokenizers{drafter.tokenizer, tokenizer_};
  Bridged bridged{drafter.model,
                  {.kind = asked.bridge,
                   .tokenizers = tokenizers,
                   .shared = store_.shared_vocabulary(tokenizers)}};
  Bridge& bridge = bridged.bridge;
  if (!is_named) bridge.kind = usual_bridge(options.sampling);
  const BridgeTraits traits = bridge_traits(bridge.kind);
  if (traits.spells_anew) return bridged;
  expect_shared_tokens(*bridge.shared, drafter.name, target_.name);
  if (traits.trims_head)
    bridged.model = store_.trimmed_transformer(asked.kind, asked.model,
                                               shared_rows(*bridge.shared, drafter.model->info()));
  return bridged;
}

}  // namespace speclab::engines
