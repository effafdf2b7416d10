#pragma once
// How tests ask a drafter for a draft.

#include "engines/drafters/drafters.h"

namespace speclab::engines::testing {

inline Sequence sequence_of(std::vector<Token> tokens, std::uint32_t round = 0) {
  Sequence sequence;
  sequence.prompt_length = static_cast<std::int32_t>(tokens.size());
  sequence.round = round;
  sequence.tokens = std::move(tokens);
  return sequence;
}

inline Draft propose(Drafter& drafter, const Sequence& sequence, std::int32_t max_length, double stop_below = 0.0) {
  Draft draft;
  const Sequence* const pointer = &sequence;
  const DraftLimit limit{max_length, stop_below};
  drafter.propose({&pointer, 1}, {&limit, 1}, {&draft, 1});
  return draft;
}

/// Tokens of the drafted nodes, in drawing order.
inline std::vector<Token> drafted_tokens(const Draft& draft) {
  std::vector<Token> tokens;
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node) tokens.push_back(draft.tree[node].token);
  return tokens;
}

/// Tokens from the root's child to `node`.
inline std::vector<Token> path_tokens(const TokenTree& tree, TokenTree::Node node) {
  std::vector<Token> tokens;
  for (; node > 0; node = tree[node].parent) tokens.insert(tokens.begin(), tree[node].token);
  return tokens;
}

}  // namespace speclab::engines::testing
