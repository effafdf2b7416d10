#pragma once
// Trees grown node by node, the most promising first.

#include <span>
#include <vector>

#include "sim/analytic/static_tree.h"

namespace speclab::sim {

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
