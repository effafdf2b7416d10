#pragma once
// Parts that the acceptance rules share.

#include <vector>

#include "sim/core/chance.h"
#include "sim/core/draft.h"
#include "sim/core/rng_stream.h"
#include "sim/rules/residual.h"

namespace speclab {

/// The child of `parent` drawn next after node `after`, or kNone.
inline TokenTree::Node next_child(const TokenTree& tree, TokenTree::Node parent,
                                  TokenTree::Node after) {
  for (TokenTree::Node node = after + 1; node < tree.size(); ++node)
    if (tree[node].parent == parent) return node;
  return TokenTree::kNone;
}

/// Key of the coin that decides about `child`.
inline StreamKey accept_key(const RoundKey& key, const TokenTree& tree, TokenTree::Node child) {
  return node_key(key, Purpose::accept, tree[child].depth - 1, child);
}

/// Walks down the tree. At each node its children are tested in drawing order against the rest of
/// the target's law. An accepted child is the next node. If all are rejected, the next token comes
/// from the rest (purpose recover). At a leaf it comes from the target's own law (purpose target,
/// draw 0).
/// @param test  test(child, residual, accept_key) is true if the child is accepted; a rejection may
/// reduce the residual
template <typename Scalar, ChanceSource Chance, typename Test>
void verify_child_by_child(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                           const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                           Verdict& verdict, const Test& test) {
  verdict.clear();
  TokenTree::Node node = 0;
  while (true) {
    const BasicLaw<Scalar>& target = target_laws(node);
    const std::int32_t depth = draft.tree[node].depth;
    Residual<Scalar> residual(target, scratch);
    TokenTree::Node child = next_child(draft.tree, node, node);
    if (child == TokenTree::kNone) {
      verdict.next = sample(target, target_key(key, depth), chance, scratch);
      verdict.next_kind = NextKind::bonus;
      return;
    }
    for (; child != TokenTree::kNone; child = next_child(draft.tree, node, child)) {
      ++verdict.tested;
      if (test(child, residual, accept_key(key, draft.tree, child))) break;
    }
    if (child == TokenTree::kNone) {
      verdict.next = residual.sample(node_key(key, Purpose::recover, depth, node), chance);
      verdict.next_kind = NextKind::recovered;
      return;
    }
    verdict.accepted.push_back(child);
    node = child;
  }
}

}  // namespace speclab
