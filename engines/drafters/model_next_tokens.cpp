#include <algorithm>

#include "engines/drafters/next_token_sources.h"
#include "engines/sampling/logits_pipeline.h"

namespace speclab::engines {
namespace {

/// A mask may leave no token that such a model can draft; who asks for its law applies it.
SamplingOptions settings_of(const ModelInfo& model, SamplingOptions sampling) {
  if (!model.draft_vocabulary.empty()) sampling.rules.mask = nullptr;
  return sampling;
}

/// The first forward of a draft reads and commits the tokens that were emitted since the last one,
/// the pending token included; every further one reads a level and what it hangs from, of which
/// nothing is committed, so there is never anything to undo.
class ModelNextTokens final : public NextTokensOfModel<DraftModel> {
 public:
  ModelNextTokens(std::unique_ptr<DraftModel> model, const SamplingOptions& sampling)
      : NextTokensOfModel(std::move(model)),
        pipeline_(settings_of(model_->info(), sampling), model_->info().name),
        plain_pipeline_({.team = sampling.team}, model_->info().name) {}

  std::size_t vocab_size() const override {
    return static_cast<std::size_t>(model_->info().vocab_size);
  }

  /// False once the sequence would leave the model's context.
  bool start(const Sequence& sequence, std::int32_t levels) override {
    if (!model_->can_draft(sequence, levels)) return false;
    root_logits_ = model_->read_emitted(sequence);
    plain_law_of_ = TokenTree::kNone;
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

  std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                               std::size_t count) override {
    const std::span<const float> values = plain_law(place.node).dense_values();
    entries_.clear();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] > (entries_.size() < count ? 0.0f : entries_.back().probability))
        insert({static_cast<Token>(i), values[i]}, count);
    return entries_;
  }

  double likelihood(const DraftPlace& place, Token token) override {
    return static_cast<double>(plain_law(place.node)[token]);
  }

 private:
  /// At temperature 1 before any cutoff.
  const Law& plain_law(TokenTree::Node node) {
    if (plain_law_of_ != node) plain_pipeline_.law(logits(node), {}, plain_law_);
    plain_law_of_ = node;
    return plain_law_;
  }

  /// Among the `count` likeliest so far.
  void insert(const LawEntry<float>& entry, std::size_t count) {
    if (entries_.size() == count) entries_.pop_back();
    entries_.insert(std::ranges::upper_bound(entries_, entry, is_likelier<float>), entry);
  }

  std::span<const float> logits(TokenTree::Node node) {
    return node == 0 ? root_logits_
                     : model_->over_vocabulary(level_.row(static_cast<std::size_t>(node - first_)));
  }

  LogitsPipeline pipeline_, plain_pipeline_;
  std::span<const float> root_logits_;
  ForwardResult level_;
  TokenTree::Node first_ = 0;
  Law plain_law_;
  TokenTree::Node plain_law_of_ = TokenTree::kNone;
  std::vector<LawEntry<float>> entries_;
  std::vector<Token> history_;
};

}  // namespace

std::unique_ptr<NextTokens> model_next_tokens(std::unique_ptr<DraftModel> model,
                                              const SamplingOptions& sampling) {
  return std::make_unique<ModelNextTokens>(std::move(model), sampling);
}

}  // namespace speclab::engines
