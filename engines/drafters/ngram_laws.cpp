#include "engines/drafters/ngram_laws.h"

#include <algorithm>
#include <cmath>

#include "engines/drafters/next_token_sources.h"

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

void NgramLaws::set_context(std::span<const Token> text) {
  const std::span<const Token> latest = text.last(std::min(text.size(), context_length()));
  context_.assign(latest.begin(), latest.end());
}

void NgramLaws::set_context(const DraftPlace& place) {
  path_.clear();
  for (TokenTree::Node node = place.node; node > 0 && path_.size() < context_length();
       node = place.tree[node].parent)
    path_.push_back(place.tree[node].token);
  const std::vector<Token>& text = place.sequence.tokens;
  const std::span<const Token> latest =
      std::span(text).last(std::min(text.size(), context_length() - path_.size()));
  context_.assign(latest.begin(), latest.end());
  context_.insert(context_.end(), path_.rbegin(), path_.rend());
}

std::span<const LawEntry<float>> NgramLaws::most_likely(std::size_t count) {
  model_->most_likely(context_, entries_);
  return std::span(entries_).first(std::min(count, entries_.size()));
}

void NgramLaws::fill(Law& law) {
  model_->most_likely(context_, entries_);
  if (temperature_ == 0) return law.assign_point_mass(vocab_size(), entries_.front().token);
  temper();
  law.assign_sparse(vocab_size(), entries_);
}

void NgramLaws::temper() {
  const float largest = entries_.front().probability;
  double sum = 0;
  for (LawEntry<float>& entry : entries_) {
    const float ratio = entry.probability / largest;
    entry.probability =
        temperature_ == 1 ? ratio : std::pow(ratio, static_cast<float>(1.0 / temperature_));
    sum += static_cast<double>(entry.probability);
  }
  for (LawEntry<float>& entry : entries_)
    entry.probability = static_cast<float>(static_cast<double>(entry.probability) / sum);
  while (entries_.back().probability <= 0) entries_.pop_back();
}

std::unique_ptr<NextTokens> ngram_next_tokens(std::shared_ptr<const NgramModel> model,
                                              const SamplingOptions& sampling) {
  return std::make_unique<NgramNextTokens>(std::move(model), sampling.temperature);
}

}  // namespace speclab::engines
