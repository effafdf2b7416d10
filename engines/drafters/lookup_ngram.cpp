#include "engines/drafters/draft_growth.h"
#include "engines/drafters/drafters.h"
#include "engines/drafters/ngram_laws.h"
#include "engines/drafters/prompt_matches.h"

namespace speclab::engines {
namespace {

/// The copy ends where a drafted token is not the copied one, or the sequence ends.
class LookupNgramNextTokens final : public NextTokens {
 public:
  LookupNgramNextTokens(std::shared_ptr<const NgramModel> model, const DecoderOptions& options)
      : laws_(std::move(model), options.sampling.temperature), matches_(options.drafter), weight_(checked_lookup_weight(options.drafter)) {}

  std::size_t vocab_size() const override { return laws_.vocab_size(); }
  void begin(std::span<const Sequence> sequences, std::int32_t) override { matches_.begin(sequences.size()); }
  bool start(const Sequence& sequence, std::int32_t) override {
    copied_ = matches_.continuation(sequence);
    return true;
  }
  void law(const DraftPlace& place, Law& law) override {
    laws_.set_context(place);
    if (const Token* copied = copied_after(copied_, place)) laws_.fill_mixed(*copied, weight_, law);
    else laws_.fill(law);
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace& place, std::size_t count) override {
    laws_.set_context(place);
    const Token* copied = copied_after(copied_, place);
    return copied != nullptr ? laws_.most_likely_mixed(*copied, weight_, count) : laws_.most_likely(count);
  }
  double likelihood(const DraftPlace& place, Token token) override {
    laws_.set_context(place);
    const Token* copied = copied_after(copied_, place);
    if (copied == nullptr) return laws_.probability(token);
    return (token == *copied ? weight_ : 0.0) + (1.0 - weight_) * laws_.probability(token);
  }

 private:
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
