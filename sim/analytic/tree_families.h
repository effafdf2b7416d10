#pragma once
// Trees of a regular form. rank_acceptance[b] is the unconditional chance that child number b of a
// node is the accepted one, given that the node was; A(k) is the sum of the first k. Nodes count
// the root. All of these: @throws ContractError if rank_acceptance is no sub-probability, a width
// is below 1 or beyond it, or a depth is negative

#include <span>
#include <vector>

#include "sim/analytic/static_tree.h"

namespace speclab::sim {

/// Every node down to `depth` has `width` children: (1 - A^(depth+1)) / (1 - A), A = A(width).
/// @source Sequoia (Chen et al. 2024), Section 3.1.2
double k_ary_tokens_per_round(std::span<const double> rank_acceptance, int width, int depth);
/// (width^(depth+1) - 1) / (width - 1); depth + 1 for chains. @throws ContractError too above 2^53
double k_ary_nodes(int width, int depth);

/// Chains of `depth` tokens side by side, their first tokens distinct: 1 + A (1 - p_1^depth) / (1 -
/// p_1), A = A(chains).
/// @source Sequoia (Chen et al. 2024), Section 3.1.2
double independent_chains_tokens_per_round(std::span<const double> rank_acceptance, int chains,
                                           int depth);
/// The same without end: 1 + A / (1 - p_1). @throws ContractError too where p_1 = 1
double independent_chains_limit(std::span<const double> rank_acceptance, int chains);

/// Each node of level j has expansion[j] children: 1 + sum over j of prod_{i<=j} A(k_i).
/// @source SpecInfer (Miao et al. 2023), Section 3, names the expansion; the value is ours
double expansion_tokens_per_round(std::span<const double> rank_acceptance,
                                  std::span<const int> expansion);
/// 1 + sum over j of prod_{i<=j} k_i. @throws ContractError too above 2^53
/// @source ours
double expansion_nodes(std::span<const int> expansion);

/// Draft forwards of a round where nodes are drafted one after the other: one for each and one for
/// the root, against one for each level.
/// @param drafted_nodes  without the root, >= 0
/// @source NTT 2023, look-ahead decoding article, tree listing
int sequential_draft_forwards(int drafted_nodes);

// Trees grown node by node, the most promising first.

/// The tree of the `budget.nodes` largest scores of at most `budget.levels` levels, a node's score
/// being the product of rank_acceptance along its path. Where no rank is likelier than the one
/// before it this is the tree of sequoia_optimal_tree; on ties the node found first.
///
/// @param rank_acceptance  falling, sum at most 1
/// @throws ContractError if rank_acceptance rises or is no sub-probability, or a budget is below 1
/// or above 4096
/// @source NTT 2023, look-ahead decoding article, grows trees by the draft's probabilities; the
/// equivalence is ours
OptimalTree best_first_tree(std::span<const double> rank_acceptance, const TreeBudget& budget);

/// Scores of its nodes in the order in which they are taken, the root's 1 first: their sums are the
/// values of all smaller budgets. Fewer than budget.nodes where the tree is full.
/// @throws ContractError as best_first_tree
std::vector<double> best_first_scores(std::span<const double> rank_acceptance,
                                      const TreeBudget& budget);

}  // namespace speclab::sim
