#pragma once
// Definitions of the templates of acceptance.h.

#include <algorithm>
#include <string>

#include "sim/core/acceptance.h"
#include "sim/core/errors.h"
#include "sim/core/residual.h"

namespace speclab {
namespace detail {

/// The child of `parent` drawn next after node `after`, or kNone.
inline TokenTree::Node next_child(const TokenTree& tree, TokenTree::Node parent, TokenTree::Node after) {
  for (TokenTree::Node node = after + 1; node < tree.size(); ++node)
    if (tree[node].parent == parent) return node;
  return TokenTree::kNone;
}

/// The lowest token >= `from` among the siblings drawn before `child`, or `end` if there is none.
inline Token next_tried_token(const TokenTree& tree, TokenTree::Node child, Token from, Token end) {
  Token lowest = end;
  for (TokenTree::Node node = tree[child].parent + 1; node < child; ++node)
    if (tree[node].parent == tree[child].parent && tree[node].token >= from) lowest = std::min(lowest, tree[node].token);
  return lowest;
}

/// Mass of `law` on tokens that no sibling before `child` has: what a draw without replacement is normalised by. Summed
/// over those tokens alone, because 1 - (mass drawn) would cancel where a law is nearly a point mass.
template <typename Scalar>
double untried_mass(const BasicLaw<Scalar>& law, const TokenTree& tree, TokenTree::Node child) {
  double mass = 0.0;
  if (law.form() != BasicLaw<Scalar>::Form::dense) {
    for (const auto& entry : law.entries())
      if (next_tried_token(tree, child, entry.token, entry.token + 1) != entry.token) mass += static_cast<double>(entry.probability);
    return mass;
  }
  const auto values = law.dense_values();
  const auto end = static_cast<Token>(values.size());
  for (Token begin = 0; begin < end;) {
    const Token tried = next_tried_token(tree, child, begin, end);
    mass += sum(values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(tried - begin)));
    begin = tried + 1;
  }
  return mass;
}

/// 1 / mass of the law `child` was drawn from, 0 if that law has no mass.
template <typename Scalar>
double draft_scale(const BasicDraft<Scalar>& draft, TokenTree::Node child) {
  const TokenTree& tree = draft.tree;
  const TokenTree::Node parent = tree[child].parent;
  const bool first = next_child(tree, parent, parent) == child;
  if (first || draft.draw_kind != DrawKind::sampled_without_replacement) return 1.0;
  const Token token = tree[child].token;
  const bool tried = next_tried_token(tree, child, token, token + 1) == token;
  const double mass = tried ? 0.0 : untried_mass(draft.law_at(parent), tree, child);
  return mass > 0.0 ? 1.0 / mass : 0.0;
}

/// Tests one drafted child against what is left of the target's law; a rejection reduces it.
template <typename Scalar, ChanceSource Chance>
bool accepts(const BasicDraft<Scalar>& draft, TokenTree::Node child, Residual<Scalar>& residual, const RoundKey& key, Chance& chance) {
  const TokenTree::Entry& entry = draft.tree[child];
  const StreamKey accept_key = node_key(key, Purpose::accept, entry.depth - 1, child);
  if (draft.draw_kind == DrawKind::arg_max) {
    if (chance.bernoulli(accept_key, residual[entry.token])) return true;
    const LawEntry<Scalar> certain{entry.token, Scalar(1)};
    residual.subtract_entries({&certain, 1}, 1.0);
    return false;
  }
  const BasicLaw<Scalar>& law = draft.law_at(entry.parent);
  SPECLAB_EXPECT(law.vocab_size() == residual.vocab_size(), "draft and target have different vocabularies");
  const double scale = draft_scale(draft, child);
  const double probability = static_cast<double>(law[entry.token]) * scale;
  SPECLAB_EXPECT(probability > 0.0, "token " + std::to_string(entry.token) + " was drafted from a law that gives it no probability");
  if (chance.bernoulli(accept_key, residual[entry.token] / probability)) return true;
  residual.subtract(law, scale);
  return false;
}

}  // namespace detail

template <typename Scalar>
void verify_greedy(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws, Verdict& verdict) {
  verdict.clear();
  TokenTree::Node node = 0;
  while (true) {
    verdict.next = target_laws(node).arg_max();
    TokenTree::Node child = detail::next_child(draft.tree, node, node);
    verdict.next_kind = child == TokenTree::kNone ? NextKind::bonus : NextKind::recovered;
    while (child != TokenTree::kNone) {
      ++verdict.tested;
      if (draft.tree[child].token == verdict.next) break;
      child = detail::next_child(draft.tree, node, child);
    }
    if (child == TokenTree::kNone) return;
    verdict.accepted.push_back(child);
    node = child;
  }
}

template <typename Scalar, ChanceSource Chance>
void verify_rejection(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws, const RoundKey& key,
                      Chance& chance, std::vector<Scalar>& scratch, Verdict& verdict) {
  verdict.clear();
  TokenTree::Node node = 0;
  while (true) {
    const BasicLaw<Scalar>& target = target_laws(node);
    const std::int32_t depth = draft.tree[node].depth;
    Residual<Scalar> residual(target, scratch);
    TokenTree::Node child = detail::next_child(draft.tree, node, node);
    if (child == TokenTree::kNone) {
      verdict.next = sample(target, target_key(key, depth), chance, scratch);
      verdict.next_kind = NextKind::bonus;
      return;
    }
    for (; child != TokenTree::kNone; child = detail::next_child(draft.tree, node, child)) {
      ++verdict.tested;
      if (detail::accepts(draft, child, residual, key, chance)) break;
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
