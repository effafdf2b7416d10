#include <algorithm>

#include "engines/drafters/next_token_sources.h"
#include "engines/interface/token_mask.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

bool keep_allowed_entries(const std::vector<bool>& allowed, Law& law) {
  std::vector<LawEntry<float>> kept;
  float total = 0;
  for (const LawEntry<float>& entry : law.entries()) {
    if (!allowed[static_cast<std::size_t>(entry.token)]) continue;
    kept.push_back(entry);
    total += entry.probability;
  }
  if (!(total > 0)) return false;
  if (kept.size() == law.entries().size()) return true;
  for (LawEntry<float>& entry : kept) entry.probability /= total;
  law.assign_sparse(law.vocab_size(), kept);
  return true;
}

bool keep_allowed_values(const std::vector<bool>& allowed, Law& law) {
  std::vector<float> values(law.dense_values().begin(), law.dense_values().end());
  double total = 0, taken = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    (allowed[i] ? total : taken) += static_cast<double>(values[i]);
    if (!allowed[i]) values[i] = 0;
  }
  if (!(total > 0)) return false;
  if (taken == 0) return true;
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) / total);
  std::ranges::copy(values, law.assign_dense(values.size()).begin());
  return true;
}

/// Likeliest tokens that are looked through for allowed ones.
constexpr std::size_t kLookedThrough = 64;

/// A token that alone may follow is certain, and no model is asked for it. A model that reads no
/// hidden states need not even read it until it is asked about a place behind.
class ConstrainedNextTokens final : public NextTokensOfModel<NextTokens> {
 public:
  ConstrainedNextTokens(std::unique_ptr<NextTokens> model, std::shared_ptr<const TokenMask> mask,
                        DraftForm form)
      : NextTokensOfModel(std::move(model)), mask_(std::move(mask)), form_(form) {}

  std::size_t vocab_size() const override { return model_->vocab_size(); }

  bool start(const Sequence& sequence, std::int32_t levels) override {
    levels_ = levels;
    has_started_ = speaks_ = false;
    law_of_ = TokenTree::kNone;
    TokenTree root;
    root.reset(sequence.tokens.back());
    if (model_->reads_hidden() || needs_model({sequence, root, 0})) start_model(sequence);
    return true;
  }

  void read(const Sequence& sequence, const TokenTree& tree, TokenTree::Node first) override {
    bool is_asked = model_->reads_hidden();
    for (TokenTree::Node node = first; node < tree.size() && !is_asked; ++node)
      is_asked = needs_model({sequence, tree, node});
    if (!is_asked) return;
    if (!has_started_) start_model(sequence);
    if (speaks_) model_->read(sequence, tree, first);
  }

  bool knows(const DraftPlace& place) const override {
    const AllowedTokens& allowed = allowed_at(place);
    if (allowed.forced) return true;
    if (allowed.has_ended || !speaks_ || !model_->knows(place)) return false;
    return form_ == DraftForm::likeliest || find_law(place, allowed);
  }

  void law(const DraftPlace& place, Law& law) override {
    const AllowedTokens& allowed = allowed_at(place);
    if (allowed.forced) return law.assign_point_mass(vocab_size(), *allowed.forced);
    if (law_of_ != place.node)
      SPECLAB_EXPECT(find_law(place, allowed), "a law at a place that is known");
    law = law_;
  }

  std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                               std::size_t count) override {
    const AllowedTokens& allowed = allowed_at(place);
    if (allowed.forced)
      entries_.assign(1, {*allowed.forced, 1.0f});
    else
      find_likeliest(place, allowed);
    return std::span(entries_).first(std::min(count, entries_.size()));
  }

  double likelihood(const DraftPlace& place, Token token) override {
    return allowed_at(place).forced ? 1.0 : model_->likelihood(place, token);
  }

 private:
  const AllowedTokens& allowed_at(const DraftPlace& place) const {
    const std::vector<Token>& tokens = place.sequence.tokens;
    text_.clear();
    for (TokenTree::Node node = place.node; node > 0; node = place.tree[node].parent)
      text_.push_back(place.tree[node].token);
    std::ranges::reverse(text_);
    text_.insert(text_.begin(), tokens.begin() + place.sequence.prompt_length, tokens.end());
    const AllowedTokens* allowed = allowed_in_draft(*mask_, text_);
    return allowed != nullptr ? *allowed : nothing_;
  }

  bool needs_model(const DraftPlace& place) const {
    const AllowedTokens& allowed = allowed_at(place);
    return !allowed.forced && !allowed.has_ended;
  }

  void start_model(const Sequence& sequence) {
    has_started_ = true;
    speaks_ = model_->start(sequence, levels_);
  }

  /// Fills law_. If the model's law has no allowed token, the likeliest one is certain.
  bool find_law(const DraftPlace& place, const AllowedTokens& allowed) const {
    model_->law(place, law_);
    law_of_ = place.node;
    if (keep_allowed_tokens(allowed.tokens, law_)) return true;
    find_likeliest(place, allowed);
    if (entries_.empty()) return false;
    law_.assign_point_mass(vocab_size(), entries_.front().token);
    return true;
  }

  void find_likeliest(const DraftPlace& place, const AllowedTokens& allowed) const {
    entries_.clear();
    for (const LawEntry<float>& entry : model_->most_likely(place, kLookedThrough))
      if (allowed.tokens[static_cast<std::size_t>(entry.token)]) entries_.push_back(entry);
  }

  std::shared_ptr<const TokenMask> mask_;
  DraftForm form_;
  AllowedTokens nothing_{.has_ended = true};
  std::int32_t levels_ = 0;
  bool has_started_ = false;  ///< the model, in this draft
  bool speaks_ = false;       ///< it has something to draft
  // The place that was asked about last.
  mutable Law law_;
  mutable TokenTree::Node law_of_ = TokenTree::kNone;
  mutable std::vector<LawEntry<float>> entries_;
  mutable std::vector<Token> text_;
};

/// Knows nothing.
class NoNextTokens final : public NextTokens {
 public:
  explicit NoNextTokens(std::int32_t vocab_size)
      : vocab_size_(static_cast<std::size_t>(vocab_size)) {}

  std::size_t vocab_size() const override { return vocab_size_; }
  bool start(const Sequence&, std::int32_t) override { return false; }
  bool knows(const DraftPlace&) const override { return false; }
  void law(const DraftPlace&, Law&) override { refuse(); }
  std::span<const LawEntry<float>> most_likely(const DraftPlace&, std::size_t) override {
    refuse();
  }
  double likelihood(const DraftPlace&, Token) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw ContractError("a drafter that knows nothing"); }

  std::size_t vocab_size_;
};

}  // namespace

const AllowedTokens* allowed_in_draft(const TokenMask& mask, std::span<const Token> new_tokens) {
  try {
    return &mask.allowed(new_tokens);
  } catch (const ConfigError&) {
    return nullptr;
  }
}

bool keep_allowed_tokens(const std::vector<bool>& allowed, Law& law) {
  return law.form() == Law::Form::dense ? keep_allowed_values(allowed, law)
                                        : keep_allowed_entries(allowed, law);
}

std::unique_ptr<NextTokens> no_next_tokens(std::int32_t vocab_size) {
  return std::make_unique<NoNextTokens>(vocab_size);
}

std::unique_ptr<NextTokens> constrained_next_tokens(std::unique_ptr<NextTokens> model,
                                                    std::shared_ptr<const TokenMask> mask,
                                                    DraftForm form) {
  return std::make_unique<ConstrainedNextTokens>(std::move(model), std::move(mask), form);
}

}  // namespace speclab::engines
