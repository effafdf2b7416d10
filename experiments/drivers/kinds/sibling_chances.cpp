#include "experiments/drivers/kinds/sibling_chances.h"

#include <algorithm>

#include "sim/rules/rejection.h"

namespace speclab::experiments {
namespace {

/// Fills in the chances of one node's children, given that it is accepted with chances[parent].
void add_children(const Draft& draft, TokenTree::Node parent,
                  const std::vector<TokenTree::Node>& children, const Law& target,
                  std::vector<float>& scratch, std::vector<double>& chances) {
  const auto chance_of = [&](TokenTree::Node node) -> double& {
    return chances[static_cast<std::size_t>(node)];
  };
  if (draft.draw_kind == DrawKind::arg_max) {
    for (const TokenTree::Node child : children)
      chance_of(child) = chance_of(parent) * static_cast<double>(target[draft.tree[child].token]);
    return;
  }
  Residual<float> residual(target, scratch);
  double untaken = chance_of(parent);
  for (const TokenTree::Node child : children) {
    if (untaken <= 0.0) return;
    const DraftOdds odds = draft_odds(draft, child, residual.vocab_size());
    const double test = std::min(1.0, residual[draft.tree[child].token] / odds.probability);
    chance_of(child) = untaken * test;
    untaken *= 1.0 - test;
    residual.subtract(draft.law_at(parent), odds.scale);
  }
}

/// The place of every node among its siblings, 1 for the first; 0 for the root.
std::vector<int> ranks_of(const TokenTree& tree) {
  std::vector<int> children(static_cast<std::size_t>(tree.size()), 0),
      ranks(static_cast<std::size_t>(tree.size()), 0);
  for (TokenTree::Node node = 1; node < tree.size(); ++node)
    ranks[static_cast<std::size_t>(node)] = ++children[static_cast<std::size_t>(tree[node].parent)];
  return ranks;
}

}  // namespace

std::vector<double> acceptance_chances(const Draft& draft, const TargetLaws<float>& target_laws) {
  std::vector<double> chances(static_cast<std::size_t>(draft.tree.size()), 0.0);
  chances[0] = 1.0;
  std::vector<TokenTree::Node> children;
  std::vector<float> scratch;
  for (TokenTree::Node node = 0; node < draft.tree.size(); ++node) {
    if (chances[static_cast<std::size_t>(node)] <= 0.0) continue;
    draft.tree.children(node, children);
    if (!children.empty()) add_children(draft, node, children, target_laws(node), scratch, chances);
  }
  return chances;
}

void SiblingChances::add(const Draft& draft, const TargetLaws<float>& target_laws) {
  const std::vector<double> chances = acceptance_chances(draft, target_laws);
  const std::vector<int> ranks = ranks_of(draft.tree);
  for (TokenTree::Node node = 1; node < draft.tree.size(); ++node) {
    const auto parent = static_cast<std::size_t>(draft.tree[node].parent);
    analysis::SiblingSums& sums =
        sums_[{draft.tree[node].depth, ranks[parent], ranks[static_cast<std::size_t>(node)]}];
    ++sums.drafts;
    sums.reached += chances[parent];
    sums.accepted += chances[static_cast<std::size_t>(node)];
  }
}

}  // namespace speclab::experiments
