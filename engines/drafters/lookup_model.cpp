#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "engines/drafters/draft_growth.h"
#include "engines/drafters/drafters.h"
#include "engines/drafters/model_next_tokens.h"
#include "engines/drafters/prompt_matches.h"

namespace speclab::engines {
namespace {

/// The model reads every level, whether it is a copy or not, so that its cache holds what comes before.
class LookupModelNextTokens final : public NextTokens {
 public:
  LookupModelNextTokens(std::unique_ptr<NextTokens> model, const DecoderOptions& options)
      : model_(std::move(model)), matches_(options.drafter), weight_(checked_lookup_weight(options.drafter)), is_certain_(options.sampling.temperature == 0 || weight_ == 1) {}

  std::size_t vocab_size() const override { return model_->vocab_size(); }
  bool reads_hidden() const override { return model_->reads_hidden(); }
  std::int32_t most_levels() const override { return model_->most_levels(); }
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
    if (is_certain_) return law.assign_point_mass(vocab_size(), *copied);
    model_->law(place, law_);
    mix(*copied, law.assign_dense(vocab_size()));
  }

  std::span<const LawEntry<float>> most_likely(const DraftPlace& place, std::size_t count) override {
    const Token* copied = copied_after(copied_, place);
    if (copied == nullptr || count == 0) return model_->most_likely(place, count);
    const double copied_likelihood = likelihood(place, *copied);
    const auto own = model_->most_likely(place, count);
    entries_.assign(1, {*copied, static_cast<float>(copied_likelihood)});
    for (const LawEntry<float>& entry : own)
      if (entry.token != *copied && weight_ < 1) entries_.push_back({entry.token, (1 - static_cast<float>(weight_)) * entry.probability});
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
  /// The model's law_, whatever its form, with the copied token. @param mixed  [vocab_size]
  void mix(Token copied, std::span<float> mixed) const {
    const float share = 1 - static_cast<float>(weight_);
    if (law_.form() == Law::Form::dense) {
      std::ranges::transform(law_.dense_values(), mixed.begin(), [share](float probability) { return share * probability; });
    } else {
      std::ranges::fill(mixed, 0.0f);
      for (const LawEntry<float>& entry : law_.entries()) mixed[static_cast<std::size_t>(entry.token)] = share * entry.probability;
    }
    mixed[static_cast<std::size_t>(copied)] += static_cast<float>(weight_);
  }

  std::unique_ptr<NextTokens> model_;
  PromptMatches matches_;
  double weight_;
  bool is_certain_;  ///< a copy is drafted whatever the model says
  std::span<const Token> copied_;  ///< of the sequence that is being drafted for
  Law law_;
  std::vector<LawEntry<float>> entries_;
};

}  // namespace

std::unique_ptr<Drafter> make_lookup_transformer_drafter(std::shared_ptr<LanguageModel> model, const DecoderOptions& options) {
  return make_growing_drafter(std::make_unique<LookupModelNextTokens>(model_next_tokens(transformer_draft_model(std::move(model)), options.sampling), options), "lookup_transformer", options);
}

}  // namespace speclab::engines
