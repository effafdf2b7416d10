#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/draft_growth.h"
#include "engines/drafters/draft_model.h"
#include "engines/drafters/drafters.h"
#include "engines/drafters/model_next_tokens.h"
#include "engines/sampling/history.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// The first forward of a draft reads and commits the tokens that were emitted since the last one, the pending token included; every
/// further one reads a level and what it hangs from, of which nothing is committed, so there is never anything to undo.
class ModelNextTokens final : public NextTokens {
 public:
  ModelNextTokens(std::unique_ptr<DraftModel> model, const SamplingOptions& sampling)
      : model_(std::move(model)), pipeline_(sampling, model_->info().name), plain_pipeline_({}, model_->info().name) {}

  std::size_t vocab_size() const override { return static_cast<std::size_t>(model_->info().vocab_size); }
  bool reads_hidden() const override { return model_->reads_hidden(); }
  std::int32_t most_levels() const override { return model_->most_levels(); }
  void begin(std::span<const Sequence> sequences, std::int32_t spare) override { model_->begin(sequences, spare); }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override { model_->read_hidden(sequence, hidden); }

  /// False once the sequence would leave the model's context.
  bool start(const Sequence& sequence, std::int32_t levels) override {
    if (!model_->can_draft(sequence, levels)) return false;
    root_logits_ = model_->read_emitted(sequence);
    return true;
  }

  void read(const Sequence& sequence, const TokenTree& tree, TokenTree::Node first) override {
    level_ = model_->read_level(sequence, tree, first);
    first_ = first;
  }

  void law(const DraftPlace& place, Law& law) override {
    collect_history(pipeline_.options(), place.sequence.tokens, place.tree, place.node, history_);
    pipeline_.law(logits(place.node), history_, law);
  }

  std::span<const LawEntry<float>> most_likely(const DraftPlace& place, std::size_t count) override {
    plain_pipeline_.law(logits(place.node), {}, law_);
    const std::span<const float> values = law_.dense_values();
    entries_.clear();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] > (entries_.size() < count ? 0.0f : entries_.back().probability)) insert({static_cast<Token>(i), values[i]}, count);
    return entries_;
  }

  double likelihood(const DraftPlace& place, Token token) override {
    plain_pipeline_.law(logits(place.node), {}, law_);
    return static_cast<double>(law_[token]);
  }

 private:
  /// Among the `count` likeliest so far.
  void insert(const LawEntry<float>& entry, std::size_t count) {
    if (entries_.size() == count) entries_.pop_back();
    entries_.insert(std::ranges::upper_bound(entries_, entry, is_likelier<float>), entry);
  }

  std::span<const float> logits(TokenTree::Node node) {
    return node == 0 ? root_logits_ : model_->over_vocabulary(level_.row(static_cast<std::size_t>(node - first_)));
  }

  std::unique_ptr<DraftModel> model_;
  LogitsPipeline pipeline_, plain_pipeline_;
  std::span<const float> root_logits_;
  ForwardResult level_;
  TokenTree::Node first_ = 0;
  Law law_;
  std::vector<LawEntry<float>> entries_;
  std::vector<Token> history_;
};

}  // namespace

std::unique_ptr<NextTokens> model_next_tokens(std::unique_ptr<DraftModel> model, const SamplingOptions& sampling) {
  return std::make_unique<ModelNextTokens>(std::move(model), sampling);
}

std::unique_ptr<Drafter> make_small_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options) {
  return make_growing_drafter(model_next_tokens(transformer_draft_model(std::move(model)), options.sampling), "small_transformer", options);
}

std::unique_ptr<Drafter> make_feature_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options) {
  if (model->info().feature_size == 0)
    throw ConfigError(fmt::format("drafter 'feature_transformer': {} reads no hidden states; allowed: a folder that speclab train made of this kind, or the drafter small_transformer", model->info().name));
  return make_growing_drafter(model_next_tokens(transformer_draft_model(std::move(model)), options.sampling), "feature_transformer", options);
}

std::unique_ptr<Drafter> make_mlp_speculator_drafter(std::shared_ptr<MlpSpeculator> model, const DecoderOptions& options) {
  return make_growing_drafter(model_next_tokens(mlp_draft_model(std::move(model)), options.sampling), "mlp_speculator", options);
}

}  // namespace speclab::engines
