#pragma once
#include <algorithm>
#include <cstddef>
#include <string>

#include "sim/core/law.h"
#include "sim/core/vector_math.h"
#include "sim/rules/point_mass.h"
#include "sim/rules/rule.h"
#include "sim/system/errors.h"

namespace speclab {

/// sum of min(scale * p, q) over the vocabulary, whatever the forms of the two laws.
template <typename Scalar>
double shared_mass(const BasicLaw<Scalar>& p, const BasicLaw<Scalar>& q, double scale) {
  using Form = typename BasicLaw<Scalar>::Form;
  double total = 0.0;
  const auto add = [&](Scalar pi, Scalar qi) {
    total += std::min(scale * static_cast<double>(pi), static_cast<double>(qi));
  };
  if (p.form() != Form::dense) {
    for (const auto& entry : p.entries()) add(entry.probability, q[entry.token]);
  } else if (q.form() != Form::dense) {
    for (const auto& entry : q.entries()) add(p[entry.token], entry.probability);
  } else {
    return minimum_sum(p.dense_values(), scale, q.dense_values());
  }
  return total;
}

namespace detail {

/// The lowest token >= `from` among the siblings drawn before `child`, or `end` if there is none.
inline Token next_tried_token(const TokenTree& tree, TokenTree::Node child, Token from, Token end) {
  Token lowest = end;
  for (TokenTree::Node node = tree[child].parent + 1; node < child; ++node)
    if (tree[node].parent == tree[child].parent && tree[node].token >= from)
      lowest = std::min(lowest, tree[node].token);
  return lowest;
}

/// Mass of `law` on tokens that no sibling before `child` has; it normalises a draw without
/// replacement. It is summed over those tokens alone, because 1 - (mass drawn) would cancel if the
/// law is nearly a point mass.
template <typename Scalar>
double untried_mass(const BasicLaw<Scalar>& law, const TokenTree& tree, TokenTree::Node child) {
  double mass = 0.0;
  if (law.form() != BasicLaw<Scalar>::Form::dense) {
    for (const auto& entry : law.entries())
      if (next_tried_token(tree, child, entry.token, entry.token + 1) != entry.token)
        mass += static_cast<double>(entry.probability);
    return mass;
  }
  const auto values = law.dense_values();
  const auto end = static_cast<Token>(values.size());
  for (Token begin = 0; begin < end;) {
    const Token tried = next_tried_token(tree, child, begin, end);
    mass += sum(
        values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(tried - begin)));
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

}  // namespace detail

/// Probability of drawing `child` after the siblings drawn before it, and the scale of its law for
/// that draw.
/// @throws ContractError if it is 0: a token drafted from a law that does not have it
struct DraftOdds {
  double probability;
  double scale;
};
template <typename Scalar>
DraftOdds draft_odds(const BasicDraft<Scalar>& draft, TokenTree::Node child,
                     std::size_t vocab_size) {
  const TokenTree::Entry& entry = draft.tree[child];
  const BasicLaw<Scalar>& law = draft.law_at(entry.parent);
  SPECLAB_EXPECT(law.vocab_size() == vocab_size, "draft and target have different vocabularies");
  const double scale = detail::draft_scale(draft, child);
  const double probability = static_cast<double>(law[entry.token]) * scale;
  SPECLAB_EXPECT(probability > 0.0, "token " + std::to_string(entry.token) +
                                        " was drafted from a law that gives it no probability");
  return {probability, scale};
}

/// The ratio test with residual: child x, drawn from q, is accepted with probability min(1,
/// p(x)/q(x)). A rejection turns p into norm max(0, p - q). The rule covers three cases: chains;
/// trees drawn without replacement, where x leaves q before the next sibling is drawn (Sequoia);
/// and siblings drawn independently from one q (SpecInfer's multi-round sampling). Arg-max drafts
/// count as point masses, so x is accepted with p(x) and masked after a rejection. If rounding
/// leaves a residual without mass, the node's own target law takes its place. The chance of this is
/// of the order of the rounding error.
///
/// @param scratch  work space, resized to at most the vocabulary; reused between calls
/// @throws ContractError if a drafted token has q(x) = 0 or the two vocabularies differ
/// @source Leviathan et al. 2023, Alg. 1; Chen et al. 2023, Alg. 2; SpecInfer (Miao et al. 2023),
/// Alg. 2; Sequoia (Chen et al. 2024), Alg. 2
template <typename Scalar, ChanceSource Chance>
void verify_rejection(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                      const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                      Verdict& verdict) {
  if (draft.draw_kind == DrawKind::arg_max)
    return verify_point_mass(draft, target_laws, key, chance, scratch, verdict);
  verify_child_by_child(
      draft, target_laws, key, chance, scratch, verdict,
      [&](TokenTree::Node child, Residual<Scalar>& residual, const StreamKey& coin) {
        const DraftOdds odds = draft_odds(draft, child, residual.vocab_size());
        if (chance.bernoulli(coin, residual[draft.tree[child].token] / odds.probability))
          return true;
        residual.subtract(draft.law_at(draft.tree[child].parent), odds.scale);
        return false;
      });
}

}  // namespace speclab
