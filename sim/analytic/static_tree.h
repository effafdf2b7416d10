#pragma once
// Trees whose shape is fixed before any token is drawn. rank_acceptance[b] is the unconditional
// chance that child number b of a node is the accepted one, given that the node was;
// node_acceptance[i] is that chance of node i + 1, whatever its rank.

#include <functional>
#include <span>
#include <vector>

#include "sim/core/token_tree.h"

namespace speclab::sim {

/// Tokens a round with this tree is expected to emit: the sum over nodes, root included, of the
/// product of rank_acceptance along the path.
/// @throws ContractError if a rank_acceptance is negative, they sum to more than 1, or a node has
/// more children than ranks
/// @source Sequoia (Chen et al. 2024), Proposition 3.4
double tree_tokens_per_round(const TreeShape& shape, std::span<const double> rank_acceptance);

/// The same where every node has a chance of its own, as where a tree is grown over drawn tokens or
/// a level is harder than the last.
/// @param node_acceptance  one entry a drafted node, in the order of the shape
/// @throws ContractError if there are more or fewer, one is negative, or those of siblings sum to
/// more than 1
/// @source Sequoia (Chen et al. 2024), Proposition 3.4, without its positional acceptance
double tree_tokens_per_round_by_node(const TreeShape& shape,
                                     std::span<const double> node_acceptance);

/// Limits of a tree search.
struct TreeBudget {
  int nodes = 1;   ///< rows of the target forward, root included, >= 1
  int levels = 1;  ///< levels, root included, >= 1

  /// @throws ContractError unless both are 1 to 4096
  void expect_valid() const;
};

/// The best tree of at most `nodes` nodes and `levels` levels.
struct OptimalTree {
  TreeShape shape;
  double tokens_per_round = 1.0;
};

/// The smallest such tree, by a dynamic program over (nodes, levels, children of the root): any
/// rank_acceptance, falling or not.
/// @throws ContractError if a budget is below 1 or above 4096, or rank_acceptance is not a
/// sub-probability
/// @source Sequoia (Chen et al. 2024), Algorithms 1 and 4
OptimalTree sequoia_optimal_tree(std::span<const double> rank_acceptance, const TreeBudget& budget);

/// One option of the hardware-aware choice.
struct VerifyCost {
  int nodes = 1;       ///< rows verified, root included
  double ratio = 1.0;  ///< time of that forward, in plain steps, > 0
};

struct HardwareAwareTree {
  TreeBudget budget;
  double predicted_speedup = 1.0;
};

/// Maximises F(nodes, levels) / (verify(nodes) + (levels - 1) cost_ratio) over the given node
/// counts and 1..max_levels, F the value of the best tree of at most that many nodes; the first
/// option and the fewest levels on ties.
/// @throws ContractError if there is no option or an argument is out of range
/// @source Sequoia (Chen et al. 2024), Section 4.1, with the root's level not charged to the draft
HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance,
                                      std::span<const VerifyCost> options, double cost_ratio,
                                      int max_levels);

/// The same for any F.
/// @param tokens  F of a budget of at most the largest option's nodes and as many levels as
/// draft_ratios has
HardwareAwareTree hardware_aware_tree(const std::function<double(const TreeBudget&)>& tokens,
                                      std::span<const VerifyCost> options,
                                      std::span<const double> draft_ratios);

/// The same where drafting d levels takes draft_ratios[d] plain steps: F(nodes, levels) /
/// (verify(nodes) + draft_ratios[levels - 1]).
/// @param draft_ratios  each >= 0, the first of no draft, one entry a level
HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance,
                                      std::span<const VerifyCost> options,
                                      std::span<const double> draft_ratios);

}  // namespace speclab::sim
