#pragma once
// How tests ask a drafter for a draft.

#include "engines/drafters/drafters.h"
#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/next_tokens.h"

namespace speclab::engines::testing {

inline std::unique_ptr<Drafter> make_ngram_drafter(std::shared_ptr<const NgramModel> model,
                                                   const DecoderOptions& options) {
  return make_growing_drafter(ngram_next_tokens(std::move(model), options.sampling),
                              options.drafter.kind, options);
}

inline std::unique_ptr<Drafter> make_lookup_ngram_drafter(std::shared_ptr<const NgramModel> model,
                                                          const DecoderOptions& options) {
  return make_growing_drafter(
      next_tokens_with_lookup(ngram_next_tokens(std::move(model), options.sampling),
                              options.drafter, options.sampling),
      "lookup_ngram", options);
}

inline std::unique_ptr<Drafter> make_lookup_transformer_drafter(
    std::shared_ptr<LanguageModel> model, const DecoderOptions& options) {
  return make_growing_drafter(
      next_tokens_with_lookup(
          model_next_tokens(transformer_draft_model(std::move(model)), options.sampling),
          options.drafter, options.sampling),
      "lookup_transformer", options);
}

inline Sequence sequence_of(std::vector<Token> tokens, std::uint32_t round = 0) {
  Sequence sequence;
  sequence.prompt_length = static_cast<std::int32_t>(tokens.size());
  sequence.round = round;
  sequence.tokens = std::move(tokens);
  return sequence;
}

inline Draft propose(Drafter& drafter, const Sequence& sequence, std::int32_t max_length,
                     double stop_below = 0.0) {
  Draft draft;
  const Sequence* const pointer = &sequence;
  const DraftLimit limit{max_length, stop_below};
  drafter.propose({&pointer, 1}, {&limit, 1}, {&draft, 1});
  return draft;
}

/// Tokens of the drafted nodes, in drawing order.
inline std::vector<Token> drafted_tokens(const Draft& draft) {
  std::vector<Token> tokens;
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node)
    tokens.push_back(draft.tree[node].token);
  return tokens;
}

/// Tokens from the root's child to `node`.
inline std::vector<Token> path_tokens(const TokenTree& tree, TokenTree::Node node) {
  std::vector<Token> tokens;
  for (; node > 0; node = tree[node].parent) tokens.insert(tokens.begin(), tree[node].token);
  return tokens;
}

}  // namespace speclab::engines::testing
