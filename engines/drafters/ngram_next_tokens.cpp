#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/ngram_laws.h"

namespace speclab::engines {
namespace {

class NgramNextTokens final : public NextTokens {
 public:
  NgramNextTokens(std::shared_ptr<const NgramModel> model, double temperature)
      : laws_(std::move(model), temperature) {}

  std::size_t vocab_size() const override { return laws_.vocab_size(); }
  bool start(const Sequence&, std::int32_t) override { return true; }
  void law(const DraftPlace& place, Law& law) override {
    laws_.set_context(place);
    laws_.fill(law);
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                               std::size_t count) override {
    laws_.set_context(place);
    return laws_.most_likely(count);
  }
  double likelihood(const DraftPlace& place, Token token) override {
    laws_.set_context(place);
    return laws_.probability(token);
  }

 private:
  NgramLaws laws_;
};

}  // namespace

std::unique_ptr<NextTokens> ngram_next_tokens(std::shared_ptr<const NgramModel> model,
                                              const SamplingOptions& sampling) {
  return std::make_unique<NgramNextTokens>(std::move(model), sampling.temperature);
}

}  // namespace speclab::engines
