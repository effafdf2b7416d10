#include <fmt/format.h>

#include "engines/drafters/draft_growth.h"
#include "engines/drafters/drafters.h"
#include "engines/drafters/ngram_laws.h"
#include "engines/drafters/prompt_matches.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// The copy ends where a drafted token is not the copied one, or the sequence ends.
class LookupNgramNextTokens final : public NextTokens {
 public:
  LookupNgramNextTokens(std::shared_ptr<const NgramModel> model, const DecoderOptions& options)
      : laws_(std::move(model), options.sampling.temperature), matches_(options.drafter), weight_(options.drafter.lookup_weight) {
    if (!(weight_ > 0 && weight_ <= 1)) throw ConfigError(fmt::format("lookup_weight = {}; allowed: numbers above 0, at most 1", weight_));
  }

  std::size_t vocab_size() const override { return laws_.vocab_size(); }
  void begin(std::span<const Sequence> sequences, std::int32_t) override { matches_.begin(sequences.size()); }
  bool start(const Sequence& sequence, std::int32_t) override {
    copied_ = matches_.continuation(sequence);
    return true;
  }
  void law(const DraftPlace& place, Law& law) override {
    laws_.set_context(place);
    if (const Token* copied = copied_after(place)) laws_.fill_mixed(*copied, weight_, law);
    else laws_.fill(law);
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace& place, std::size_t count) override {
    laws_.set_context(place);
    const Token* copied = copied_after(place);
    return copied != nullptr ? laws_.most_likely_mixed(*copied, weight_, count) : laws_.most_likely(count);
  }
  double likelihood(const DraftPlace& place, Token token) override {
    laws_.set_context(place);
    const Token* copied = copied_after(place);
    if (copied == nullptr) return laws_.probability(token);
    return (token == *copied ? weight_ : 0.0) + (1.0 - weight_) * laws_.probability(token);
  }

 private:
  /// The token to be copied behind a node, or null where its path is not a copy itself.
  const Token* copied_after(const DraftPlace& place) const {
    const auto depth = static_cast<std::size_t>(place.tree[place.node].depth);
    if (depth >= copied_.size()) return nullptr;
    for (TokenTree::Node node = place.node; node > 0; node = place.tree[node].parent)
      if (place.tree[node].token != copied_[static_cast<std::size_t>(place.tree[node].depth) - 1]) return nullptr;
    return &copied_[depth];
  }

  NgramLaws laws_;
  PromptMatches matches_;
  double weight_;
  std::span<const Token> copied_;  ///< of the sequence that is being drafted for
};

}  // namespace

std::unique_ptr<Drafter> make_lookup_ngram_drafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options) {
  return make_growing_drafter(std::make_unique<LookupNgramNextTokens>(std::move(model), options), "lookup_ngram", options);
}

}  // namespace speclab::engines
