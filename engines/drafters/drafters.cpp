#include "engines/drafters/drafters.h"

#include <fmt/format.h>

#include <set>

#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/next_tokens.h"
#include "engines/interface/drafter_checks.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class GrowingDrafter final : public Drafter {
 public:
  GrowingDrafter(std::unique_ptr<NextTokens> next_tokens, const std::string& name,
                 const DecoderOptions& options)
      : next_tokens_(std::move(next_tokens)),
        growth_(TreeGrowth::parse(options.drafter.tree, 1).is_grown() ? make_likely_growth(options)
                                                                      : make_shape_growth(options)),
        name_(options.drafter.tree == "chain" ? name : name + " " + options.drafter.tree),
        max_new_tokens_(options.stop.max_new_tokens) {}

  std::string name() const override { return name_; }
  bool reads_hidden() const override { return next_tokens_->reads_hidden(); }
  void begin(std::span<const Sequence> sequences) override {
    next_tokens_->begin(sequences, max_new_tokens_ + growth_->most_read() + 1);
  }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override {
    next_tokens_->read_hidden(sequence, hidden);
  }
  std::int64_t bytes_read() const override { return next_tokens_->bytes_read(); }
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      growth_->grow(*next_tokens_, *sequences[i], limits[i], drafts[i]);
  }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

 private:
  std::unique_ptr<NextTokens> next_tokens_;
  std::unique_ptr<DraftGrowth> growth_;
  std::string name_;
  std::int32_t max_new_tokens_;
};

class NullDrafter final : public Drafter {
 public:
  std::string name() const override { return "none"; }
  void begin(std::span<const Sequence>) override {}
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit>,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      drafts[i].reset(sequences[i]->tokens.back(), DrawKind::sampled);
  }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}
};

/// For messages: its model, or its kind where that is the project's own.
std::string name_of(const DrafterOptions& drafter) {
  return drafter.model.empty() ? drafter.kind : drafter.model;
}

/// Names that say an order take no other.
void check_order(const DrafterOptions& drafter, std::int32_t found) {
  const std::int32_t order = drafter.traits().order, wanted = order == 0 ? found : order;
  if (found != wanted)
    throw ConfigError(
        fmt::format("drafter '{}' is an n-gram model of order {}; a {} drafter takes order {}; "
                    "choose the drafter ngram, which takes any",
                    escaped(drafter.model), found, drafter.kind, wanted));
}

/// Where the drafters of one decoder, or the parts of one, have their next tokens from.
class Sources {
 public:
  Sources(const SamplingOptions& sampling, const ModelInfo& target, DrafterModels& models)
      : sampling_(sampling), target_(target), models_(models) {}

  std::unique_ptr<NextTokens> next_tokens(const DrafterOptions& drafter) {
    const DrafterTraits traits = drafter.traits();
    if (traits.is_mixture()) return mixture(drafter);
    if (traits.only_looks_up()) return copy_next_tokens(drafter, target_.vocab_size);
    std::unique_ptr<NextTokens> model = of_model(drafter);
    return traits.mixes_copies() ? next_tokens_with_lookup(std::move(model), drafter, sampling_)
                                 : std::move(model);
  }

 private:
  /// A copy that has a weight of its own is looked up from two tokens on: one says too little.
  std::unique_ptr<NextTokens> mixture(const DrafterOptions& drafter) {
    std::vector<MixturePart> parts;
    for (DrafterOptions part : drafter.parts) {
      if (part.traits().only_looks_up() && !part.min_ngram)
        part.min_ngram = std::min(2, part.longest_ngram());
      parts.push_back({next_tokens(part), part.weight});
    }
    return mixture_next_tokens(std::move(parts), sampling_);
  }

  std::unique_ptr<NextTokens> of_model(const DrafterOptions& drafter) {
    if (drafter.traits().reads_ngrams()) return of_ngrams(drafter);
    if (drafter.traits().reads_stages()) return of_mlp_speculator(drafter);
    return of_transformer(drafter);
  }

  std::unique_ptr<NextTokens> of_ngrams(const DrafterOptions& drafter) {
    const auto model = models_.ngrams(drafter.kind, drafter.model);
    check_vocabulary(name_of(drafter), model->vocab_size(), target_);
    check_order(drafter, model->order());
    return ngram_next_tokens(model, sampling_);
  }

  std::unique_ptr<NextTokens> of_mlp_speculator(const DrafterOptions& drafter) {
    const auto model = models_.mlp_speculator(drafter.model);
    check_base_model(name_of(drafter), model->info(), target_);
    take_once(model.get(), drafter);
    return model_next_tokens(mlp_draft_model(model, target_.state_size()), sampling_);
  }

  std::unique_ptr<NextTokens> of_transformer(const DrafterOptions& drafter) {
    const auto model = fitting_transformer(drafter, target_, models_);
    take_once(model.get(), drafter);
    return model_next_tokens(transformer_draft_model(model, target_.state_size()), sampling_);
  }

  /// Parts of one model would write over each other's states.
  void take_once(const void* model, const DrafterOptions& drafter) {
    if (!models_taken_.insert(model).second)
      throw ConfigError(
          fmt::format("a mixture with '{}' beside another part of the same model; allowed: every "
                      "model but n-grams once",
                      escaped(name_of(drafter))));
  }

  const SamplingOptions& sampling_;
  const ModelInfo& target_;
  DrafterModels& models_;
  std::set<const void*> models_taken_;
};

DraftForm form_of(const DrafterOptions& drafter) {
  return TreeGrowth::parse(drafter.tree, 1).is_grown() ? DraftForm::likeliest : DraftForm::drawn;
}

}  // namespace

std::shared_ptr<LanguageModel> fitting_transformer(const DrafterOptions& drafter,
                                                   const ModelInfo& target, DrafterModels& models) {
  const DrafterTraits traits = drafter.traits();
  SPECLAB_EXPECT(traits.reads_transformer(), "a drafter of kind " + drafter.kind);
  const auto model = models.language_model(drafter.kind, drafter.model);
  check_base_model(name_of(drafter), model->info(), target);
  if (traits.needs_states() && model->info().feature_size == 0)
    throw ConfigError(
        fmt::format("drafter '{}': {} reads no hidden states; allowed: a folder "
                    "that speclab train made of this kind, or the drafter small_transformer",
                    drafter.kind, model->info().name));
  return model;
}

std::unique_ptr<Drafter> make_growing_drafter(std::unique_ptr<NextTokens> next_tokens,
                                              const std::string& name,
                                              const DecoderOptions& options) {
  return std::make_unique<GrowingDrafter>(std::move(next_tokens), name, options);
}

std::unique_ptr<Drafter> make_null_drafter() { return std::make_unique<NullDrafter>(); }

std::unique_ptr<Drafter> make_small_transformer_drafter(std::shared_ptr<LanguageModel> model,
                                                        const DecoderOptions& options) {
  return make_growing_drafter(
      model_next_tokens(transformer_draft_model(std::move(model)), options.sampling),
      "small_transformer", options);
}

std::unique_ptr<Drafter> make_drafter(const DecoderOptions& options, const ModelInfo& target,
                                      DrafterModels& models) {
  const DrafterOptions& drafter = options.drafter;
  check_drafter_options(drafter);
  const std::shared_ptr<const TokenMask>& mask = options.sampling.rules.mask;
  const bool is_masked = mask != nullptr;
  const DrafterTraits traits = drafter.traits();
  if (!traits.drafts() && !is_masked) return make_null_drafter();
  if (traits.only_looks_up() && !is_masked)
    return make_prompt_lookup_drafter(options, target.vocab_size);
  if (traits.reads_language_model())
    if (const auto bridged = models.bridged(options))
      return bridged_drafter(bridged->model, bridged->bridge, target, options);
  std::unique_ptr<NextTokens> next_tokens =
      traits.drafts() ? Sources(options.sampling, target, models).next_tokens(drafter)
                      : no_next_tokens(target.vocab_size);
  if (is_masked)
    next_tokens = constrained_next_tokens(std::move(next_tokens), mask, form_of(drafter));
  return make_growing_drafter(std::move(next_tokens), drafter.kind, options);
}

}  // namespace speclab::engines
