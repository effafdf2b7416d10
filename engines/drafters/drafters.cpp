#include "engines/drafters/drafters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/interface/names.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// For messages: its model, or its kind where that is the project's own.
std::string name_of(const DrafterOptions& drafter) { return drafter.model.empty() ? drafter.kind : drafter.model; }

void check_vocabulary(const std::string& drafter, std::int32_t found, const ModelInfo& target) {
  if (found != target.vocab_size)
    throw ConfigError(fmt::format("drafter '{}' has a vocabulary of {} tokens; {} has {}; choose a drafter trained for this target",
                                  escaped(drafter), found, target.name, target.vocab_size));
}

/// The model's vocabulary, and whose hidden states it reads if it reads any.
void check_base_model(const std::string& drafter, const ModelInfo& model, const ModelInfo& target) {
  check_vocabulary(drafter, model.vocab_size, target);
  if (model.feature_size != 0 && model.feature_size != target.hidden_size)
    throw ConfigError(fmt::format("drafter '{}' reads hidden states of {} values; {} has {}; choose a drafter trained for this target", escaped(drafter), model.feature_size, target.name,
                                  target.hidden_size));
  if (!model.base_sha256.empty() && model.base_sha256 != target.sha256)
    throw ConfigError(fmt::format("drafter '{}' was trained on the states of a model of SHA-256 {}; {} has {}; choose a drafter trained for this target", escaped(drafter), escaped(model.base_sha256, 64),
                                  target.name, target.sha256));
}

/// Names that say an order take no other.
void check_order(const DrafterOptions& drafter, std::int32_t found) {
  const std::int32_t wanted = drafter.kind == "unigram" ? 1 : drafter.kind == "bigram" ? 2 : found;
  if (found != wanted)
    throw ConfigError(fmt::format("drafter '{}' is an n-gram model of order {}; a {} drafter takes order {}; choose the drafter ngram, which takes any",
                                  escaped(drafter.model), found, drafter.kind, wanted));
}

}  // namespace

std::vector<std::string> drafter_kinds() { return {kDrafterKinds.begin(), kDrafterKinds.end()}; }

void check_drafter_options(const DrafterOptions& drafter) {
  if (drafter.kind != "plain" && !is_among(drafter.kind, kDrafterKinds))
    throw ConfigError(fmt::format("drafter '{}'; allowed: {}", escaped(drafter.kind), fmt::join(drafter_kinds(), ", ")));
  if (drafter.tree != "chain" && !is_among(drafter.kind, kTreeDrafterKinds))
    throw ConfigError(fmt::format("tree '{}' with drafter '{}', which drafts chains; allowed: chain, or a drafter that draws trees: {}",
                                  escaped(drafter.tree), drafter.kind, fmt::join(kTreeDrafterKinds, ", ")));
  if (!drafter.model.empty() && !is_among(drafter.kind, kModelDrafterKinds))
    throw ConfigError(fmt::format("drafter model '{}' with drafter '{}', which reads none; allowed: no model, or a drafter that reads one: {}",
                                  escaped(drafter.model), drafter.kind, fmt::join(kModelDrafterKinds, ", ")));
}

std::unique_ptr<Drafter> make_drafter(const DecoderOptions& options, const ModelInfo& target, DrafterModels& models) {
  const DrafterOptions& drafter = options.drafter;
  check_drafter_options(drafter);
  if (drafter.kind == "none") return make_null_drafter();
  if (drafter.kind == "prompt_lookup") return make_prompt_lookup_drafter(options, target.vocab_size);
  if (is_among(drafter.kind, kNgramDrafterKinds)) {
    const auto model = models.ngrams(drafter.kind, drafter.model);
    check_vocabulary(name_of(drafter), model->vocab_size(), target);
    check_order(drafter, model->order());
    return drafter.kind == "lookup_ngram" ? make_lookup_ngram_drafter(model, options) : make_ngram_drafter(model, options);
  }
  if (drafter.kind == "mlp_speculator") {
    const auto model = models.mlp_speculator(drafter.model);
    check_base_model(name_of(drafter), model->info(), target);
    return make_mlp_speculator_drafter(model, options);
  }
  SPECLAB_EXPECT(is_among(drafter.kind, kTransformerDrafterKinds), "a drafter of kind " + drafter.kind);
  const auto model = models.language_model(drafter.kind, drafter.model);
  check_base_model(name_of(drafter), model->info(), target);
  if (drafter.kind == "lookup_transformer") return make_lookup_transformer_drafter(model, options);
  return drafter.kind == "feature_transformer" ? make_feature_transformer_drafter(model, options) : make_small_transformer_drafter(model, options);
}

}  // namespace speclab::engines
