#include "experiments/drivers/kinds/draft_sums.h"

#include <algorithm>

#include "sim/rules/rejection.h"

namespace speclab::experiments {
namespace {

using analysis::kRanks;

/// Whether the draft's tokens were chosen, not drawn: their law then says nothing of the next
/// likely ones.
bool is_chosen(const Draft& draft) { return draft.draw_kind == DrawKind::arg_max; }

/// The likeliest tokens of a law, at most kRanks, in falling order.
std::vector<LawEntry<float>> likeliest(const Law& law) {
  std::vector<LawEntry<float>> top;
  const auto offer = [&](LawEntry<float> entry) {
    if (entry.probability <= 0.0F || (top.size() == kRanks && !is_likelier(entry, top.back())))
      return;
    if (top.size() == kRanks) top.pop_back();
    top.insert(std::ranges::upper_bound(top, entry, is_likelier<float>), entry);
  };
  if (law.form() != Law::Form::dense) {
    for (const LawEntry<float>& entry : law.entries()) offer(entry);
    return top;
  }
  const auto values = law.dense_values();
  for (std::size_t i = 0; i < values.size(); ++i) offer({static_cast<Token>(i), values[i]});
  return top;
}

/// The drafter's ranking behind a node, as far as the draft tells it.
std::vector<Token> ranking(const Draft& draft, TokenTree::Node node,
                           const std::vector<TokenTree::Node>& children) {
  std::vector<Token> tokens;
  if (is_chosen(draft)) {
    for (const TokenTree::Node child : children) tokens.push_back(draft.tree[child].token);
    tokens.resize(std::min(tokens.size(), kRanks));
  } else {
    for (const LawEntry<float>& entry : likeliest(draft.law_at(node)))
      tokens.push_back(entry.token);
  }
  return tokens;
}

/// Beyond the last token of a law's support its ranks add nothing; beyond chosen siblings they are
/// unknown.
std::size_t known_ranks(const Draft& draft, std::size_t ranked) {
  return is_chosen(draft) ? ranked : kRanks;
}

void add_ranks(const Law& target, const std::vector<Token>& ranked, std::size_t known,
               double weight, analysis::DepthSums& sums) {
  sums.known_ranks = std::min(sums.known_ranks, known);
  double share = 0.0;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    if (rank < ranked.size()) share += static_cast<double>(target[ranked[rank]]);
    sums.in_top[rank] += weight * std::min(1.0, share);
  }
}

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

void DraftSums::add(const Draft& draft, const TargetLaws<float>& target_laws) {
  ++positions_;
  double weight = 1.0;
  std::vector<TokenTree::Node> children;
  TokenTree::Node node = 0;
  for (std::size_t depth = 0; weight > 0.0; ++depth) {
    draft.tree.children(node, children);
    if (children.empty()) return;
    if (depth == depths_.size()) depths_.emplace_back();
    const Law& target = target_laws(node);
    const Token first = draft.tree[children.front()].token;
    const double p = static_cast<double>(target[first]);
    const double q = is_chosen(draft) ? 1.0 : static_cast<double>(draft.law_at(node)[first]);
    const double kept =
        is_chosen(draft) ? p : std::min(1.0, shared_mass(target, draft.law_at(node), 1.0));
    const std::vector<Token> ranked = ranking(draft, node, children);
    ++depths_[depth].drafts;
    depths_[depth].reached += weight;
    depths_[depth].accepted += weight * kept;
    add_ranks(target, ranked, known_ranks(draft, ranked.size()), weight, depths_[depth]);
    weight *= std::min(1.0, p / q);
    node = children.front();
  }
}

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
