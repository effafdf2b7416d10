#include "engines/factory/drafter_store.h"

#include "engines/interface/fitting_drafter.h"
#include "engines/interface/names.h"
#include "engines/models/catalogue.h"
#include "engines/models/resized_vocabulary.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/training/training_record.h"
#include "sim/core/errors.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

/// The model that a drafter of this kind reads: the project's own if none is named.
std::string model_name(const std::string& kind, const std::string& model) {
  if (!model.empty()) return model;
  if (kind == "mlp_speculator") return "smollm2-mlp";
  if (is_among(kind, kTransformerDrafterKinds))
    return kind == "small_transformer" ? "smollm2-drafter" : "smollm2-feature";
  return project_models_folder() + "/smollm2-" +
         (kind == "unigram" || kind == "bigram" ? kind : "5gram");
}

}  // namespace

DrafterStore::Transformer& DrafterStore::transformer(const std::string& kind,
                                                     const std::string& model) {
  const std::string name = model_name(kind, model);
  Transformer& loaded = transformers_[name];
  if (!loaded.model) {
    const ModelSource source = open_draft_model(name);
    loaded = {name, maker_.language_model(source, ModelMaker::Part::drafter), source.tokenizer,
              source.tokenizer_problem};
  }
  return loaded;
}

std::shared_ptr<MlpSpeculator> DrafterStore::mlp_speculator(const std::string& model) {
  const std::string name = model_name("mlp_speculator", model);
  std::shared_ptr<MlpSpeculator>& loaded = mlp_speculators_[name];
  if (!loaded) loaded = maker_.mlp_speculator(open_mlp_speculator(name));
  return loaded;
}

std::shared_ptr<const NgramModel> DrafterStore::ngrams(const std::string& kind,
                                                       const std::string& model) {
  const std::string path = model_name(kind, model);
  std::shared_ptr<const NgramModel>& loaded = ngrams_[path];
  if (!loaded) loaded = std::make_shared<NgramModel>(load_ngrams(path));
  return loaded;
}

std::optional<ModelInfo> DrafterStore::info(const DrafterOptions& options) {
  std::optional<ModelInfo> info = info_without_training(options);
  if (info)
    info->training = read_training_record(model_path(model_name(options.kind, options.model)));
  return info;
}

std::optional<ModelInfo> DrafterStore::info_without_training(const DrafterOptions& options) {
  if (is_among(options.kind, kTransformerDrafterKinds))
    return transformer(options.kind, options.model).model->info();
  if (options.kind == "mlp_speculator") return mlp_speculator(options.model)->info();
  if (!is_among(options.kind, kNgramDrafterKinds)) return std::nullopt;
  return ngram_info(options);
}

ModelInfo DrafterStore::ngram_info(const DrafterOptions& options) {
  const auto model = ngrams(options.kind, options.model);
  ModelInfo info;
  info.name = ngram_file(model_name(options.kind, options.model));
  info.family = "ngram";
  info.sha256 = sha256_file(info.name);
  info.vocab_size = model->vocab_size();
  info.num_parameters = model->num_ngrams();
  return info;
}

std::shared_ptr<LanguageModel> DraftersOfTarget::language_model(const std::string& kind,
                                                                const std::string& model) {
  SPECLAB_EXPECT(is_among(kind, kTransformerDrafterKinds),
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

}  // namespace speclab::engines
