#include <algorithm>

#include "engines/drafters/draft_growth.h"
#include "engines/drafters/drafters.h"
#include "engines/drafters/prompt_matches.h"
#include "engines/drafters/transformer_next_tokens.h"

namespace speclab::engines {
namespace {

/// The model reads every level, whether it is a copy or not, so that its cache holds what comes before.
class LookupTransformerNextTokens final : public NextTokens {
 public:
  LookupTransformerNextTokens(std::unique_ptr<NextTokens> model, const DecoderOptions& options)
      : model_(std::move(model)), matches_(options.drafter), weight_(checked_lookup_weight(options.drafter)), greedy_(options.sampling.temperature == 0) {}

  std::size_t vocab_size() const override { return model_->vocab_size(); }
  bool reads_hidden() const override { return model_->reads_hidden(); }
  void begin(std::span<const Sequence> sequences, std::int32_t spare) override {
    matches_.begin(sequences.size());
    model_->begin(sequences, spare);
  }
  void read_hidden(const Sequence& sequence, std::span<const float> hidden) override { model_->read_hidden(sequence, hidden); }
  bool start(const Sequence& sequence, std::int32_t levels) override {
    copied_ = matches_.continuation(sequence);
    return model_->start(sequence, levels);
  }
  void read(const Sequence& sequence, const TokenTree& tree, TokenTree::Node first) override { model_->read(sequence, tree, first); }

  void law(const DraftPlace& place, Law& law) override {
    const Token* copied = copied_after(copied_, place);
    if (copied == nullptr) return model_->law(place, law);
    if (greedy_) return law.assign_point_mass(vocab_size(), *copied);
    model_->law(place, law_);
    const std::span<float> mixed = law.assign_dense(vocab_size());
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = (1 - static_cast<float>(weight_)) * law_[static_cast<Token>(i)];
    mixed[static_cast<std::size_t>(*copied)] += static_cast<float>(weight_);
  }

  std::span<const LawEntry<float>> most_likely(const DraftPlace& place, std::size_t count) override {
    const Token* copied = copied_after(copied_, place);
    if (copied == nullptr || count == 0) return model_->most_likely(place, count);
    const auto own = model_->most_likely(place, count);
    entries_.assign(own.begin(), own.end());
    std::erase_if(entries_, [&](const LawEntry<float>& entry) { return entry.token == *copied; });
    for (LawEntry<float>& entry : entries_) entry.probability *= 1 - static_cast<float>(weight_);
    entries_.push_back({*copied, static_cast<float>(likelihood(place, *copied))});
    std::ranges::sort(entries_, is_likelier<float>);
    entries_.resize(std::min(entries_.size(), count));
    return entries_;
  }

  double likelihood(const DraftPlace& place, Token token) override {
    const Token* copied = copied_after(copied_, place);
    const double own = model_->likelihood(place, token);
    return copied == nullptr ? own : (token == *copied ? weight_ : 0.0) + (1 - weight_) * own;
  }

 private:
  std::unique_ptr<NextTokens> model_;
  PromptMatches matches_;
  double weight_;
  bool greedy_;
  std::span<const Token> copied_;  ///< of the sequence that is being drafted for
  Law law_;
  std::vector<LawEntry<float>> entries_;
};

}  // namespace

std::unique_ptr<Drafter> make_lookup_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options) {
  return make_growing_drafter(std::make_unique<LookupTransformerNextTokens>(transformer_next_tokens(std::move(model), options.sampling), options), "lookup_transformer", options);
}

}  // namespace speclab::engines
