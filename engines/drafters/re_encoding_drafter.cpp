#include <algorithm>

#include "engines/drafters/bridges.h"
#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/next_tokens.h"
#include "engines/drafters/retokenized_text.h"
#include "engines/models/clock.h"
#include "engines/sampling/stop_rules.h"

namespace speclab::engines {
namespace {

/// The settings that name no token of the target.
SamplingOptions without_tokens(SamplingOptions sampling) {
  sampling.min_length = 0;
  sampling.no_repeat_ngram_size = 0;
  sampling.eos_token_ids.clear();
  sampling.suppress_tokens.clear();
  sampling.rules = {};
  return sampling;
}

class ReEncodingDrafter final : public Drafter {
 public:
  ReEncodingDrafter(std::unique_ptr<DraftModel> model, const Bridge& bridge,
                    const ModelInfo& target, const DecoderOptions& options)
      : model_(*model),
        next_tokens_(model_next_tokens(std::move(model), without_tokens(options.sampling))),
        growth_(make_shape_growth(options)),
        tokenizers_(bridge.tokenizers),
        look_behind_(bridge_traits(bridge.kind).looks_behind ? kLookBehind : 0),
        texts_(tokenizers_, look_behind_),
        meter_(bridge.kind, bridge.shared),
        mask_(options.sampling.rules.mask),
        ends_(ends_of(options.stop, tokenizers_.target.get())),
        vocab_size_(static_cast<std::size_t>(target.vocab_size)),
        max_new_tokens_(options.stop.max_new_tokens) {}

  std::string name() const override { return "small_transformer"; }
  void begin(std::span<const Sequence> sequences) override {
    meter_.begin(sequences.size());
    texts_.begin(sequences, max_new_tokens_ + 1, model_);
  }
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) draft(*sequences[i], limits[i], drafts[i]);
  }
  std::int64_t bytes_read() const override { return next_tokens_->bytes_read(); }
  std::optional<BridgeUse> bridge_use(const Sequence& sequence) const override {
    return meter_.use(sequence);
  }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

 private:
  void draft(const Sequence& sequence, const DraftLimit& limit, Draft& draft) {
    draft.reset(sequence.tokens.back(), DrawKind::arg_max);
    if (limit.max_length == 0) return;
    const std::vector<Token> forced = forced_tokens(sequence, limit);
    if (!forced.empty()) return add_chain(forced, draft);
    LapClock clock;
    const Sequence* own = texts_.read(sequence);
    BridgeUse& use = meter_.of(sequence);
    use.spelling_ns += clock.lap_ns();
    if (own == nullptr) return;
    growth_->grow(*next_tokens_, *own, limit, own_draft_);
    use.draft_tokens += own_draft_.tree.drafted();
    clock.lap_ns();
    add_chain(spelled(sequence, limit), draft);
    use.spelling_ns += clock.lap_ns();
  }

  void add_chain(std::span<const Token> tokens, Draft& draft) const {
    for (const Token token : tokens) {
      const TokenTree::Node last = draft.tree.size() - 1;
      draft.law_for(last).assign_point_mass(vocab_size_, token);
      draft.add(last, token);
    }
  }

  std::vector<Token> new_tokens(const Sequence& sequence) const {
    return {sequence.tokens.begin() + sequence.prompt_length, sequence.tokens.end()};
  }

  /// Tokens that alone may follow behind a constraint.
  std::vector<Token> forced_tokens(const Sequence& sequence, const DraftLimit& limit) const {
    std::vector<Token> forced, text = new_tokens(sequence);
    while (mask_ && static_cast<std::int32_t>(forced.size()) < limit.max_length) {
      const AllowedTokens* allowed = allowed_in_draft(*mask_, text);
      if (allowed == nullptr || !allowed->forced || allowed->has_ended) break;
      forced.push_back(*allowed->forced);
      text.push_back(*allowed->forced);
    }
    return forced;
  }

  /// The target's end of the same text as the drafter's, else its first.
  Token end_like(Token draft_end) const {
    const std::string text = tokenizers_.drafter->token_text(draft_end);
    const auto same = std::ranges::find_if(
        ends_, [&](Token end) { return tokenizers_.target->token_text(end) == text; });
    return same == ends_.end() ? ends_.front() : *same;
  }

  /// The draft in the target's tokens, as many as the limit lets stand. An end of the drafter is
  /// one of the target; other special tokens end the draft.
  std::vector<Token> spelled(const Sequence& sequence, const DraftLimit& limit) const {
    std::string text;
    TokenTree::Node node = 1;
    for (; node < own_draft_.tree.size(); ++node) {
      const std::string bytes = tokenizers_.drafter->token_bytes(own_draft_.tree[node].token);
      if (bytes.empty()) break;
      text += bytes;
    }
    const bool ends = node < own_draft_.tree.size() && !ends_.empty() &&
                      tokenizers_.drafter->is_end_of_sequence(own_draft_.tree[node].token);
    std::vector<Token> tokens = behind(sequence, text);
    if (ends && (text.empty() || !tokens.empty()))
      tokens.push_back(end_like(own_draft_.tree[node].token));
    tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(limit.max_length)));
    const auto outside = std::ranges::find_if(
        tokens, [&](Token token) { return static_cast<std::size_t>(token) >= vocab_size_; });
    tokens.erase(outside, tokens.end());
    keep_allowed(sequence, tokens);
    return tokens;
  }

  /// Leaves the tokens before the first that a constraint does not allow.
  void keep_allowed(const Sequence& sequence, std::vector<Token>& tokens) const {
    if (!mask_) return;
    std::vector<Token> text = new_tokens(sequence);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const AllowedTokens* allowed = allowed_in_draft(*mask_, text);
      if (allowed == nullptr || !allowed->tokens[static_cast<std::size_t>(tokens[i])])
        return tokens.resize(i);
      text.push_back(tokens[i]);
    }
  }

  /// The text begins with the part of a character that the target has emitted of it.
  std::vector<Token> behind(const Sequence& sequence, const std::string& text) const {
    const std::string& pending = texts_.pending(sequence);
    if (!text.starts_with(pending)) return {};
    return spelled_behind(*tokenizers_.target, sequence.tokens,
                          without_unfinished(std::string_view(text).substr(pending.size())),
                          look_behind_);
  }

  DraftModel& model_;  ///< of next_tokens_
  std::unique_ptr<NextTokens> next_tokens_;
  std::unique_ptr<DraftGrowth> growth_;
  TokenizerPair tokenizers_;
  std::size_t look_behind_;
  DrafterTexts texts_;
  BridgeMeter meter_;
  std::shared_ptr<const TokenMask> mask_;  ///< null: anything is allowed
  std::vector<Token> ends_;
  std::size_t vocab_size_;  ///< of the target
  std::int32_t max_new_tokens_;
  Draft own_draft_;  ///< in the drafter's tokens
};

}  // namespace

std::unique_ptr<Drafter> re_encoding_drafter(std::unique_ptr<DraftModel> model,
                                             const Bridge& bridge, const ModelInfo& target,
                                             const DecoderOptions& options) {
  return std::make_unique<ReEncodingDrafter>(std::move(model), bridge, target, options);
}

}  // namespace speclab::engines
