#pragma once
#include <algorithm>
#include <cmath>

#include "sim/rules/rule.h"

namespace speclab {

/// In nats.
template <typename Scalar>
double entropy(const BasicLaw<Scalar>& law) {
  const auto term = [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; };
  double total = 0.0;
  if (law.form() == BasicLaw<Scalar>::Form::dense)
    for (const Scalar p : law.dense_values()) total += term(static_cast<double>(p));
  else
    for (const auto& entry : law.entries()) total += term(static_cast<double>(entry.probability));
  return total;
}

/// Typical acceptance: a child x stands if p(x) > min(epsilon, delta exp(-H(p))), without any draw;
/// the next token is the target's own. Lossy: likely tokens become likelier.
/// @source Medusa (Cai et al. 2024), section 2.3.1
template <typename Scalar, ChanceSource Chance>
void verify_typical(const BasicDraft<Scalar>& draft, const TargetLaws<Scalar>& target_laws,
                    const RoundKey& key, Chance& chance, std::vector<Scalar>& scratch,
                    Verdict& verdict, double epsilon, double delta) {
  verdict.clear();
  TokenTree::Node node = 0;
  while (true) {
    const BasicLaw<Scalar>& target = target_laws(node);
    const double least = std::min(epsilon, delta * std::exp(-entropy(target)));
    TokenTree::Node child = next_child(draft.tree, node, node);
    const bool is_leaf = child == TokenTree::kNone;
    for (; child != TokenTree::kNone; child = next_child(draft.tree, node, child)) {
      ++verdict.tested;
      if (static_cast<double>(target[draft.tree[child].token]) > least) break;
    }
    if (child == TokenTree::kNone) {
      verdict.next = sample(target, target_key(key, draft.tree[node].depth), chance, scratch);
      verdict.next_kind = is_leaf ? NextKind::bonus : NextKind::recovered;
      return;
    }
    verdict.accepted.push_back(child);
    node = child;
  }
}

}  // namespace speclab
