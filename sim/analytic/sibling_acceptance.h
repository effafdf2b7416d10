#pragma once
// Acceptance of a tree's nodes by where they stand, as measured: Sequoia's positional acceptance,
// also by depth and by what they follow.

#include <compare>
#include <map>
#include <vector>

#include "sim/analytic/static_tree.h"

namespace speclab::sim {

/// Where a drafted node stands: its depth, the place of its parent among that one's siblings (0:
/// the parent is the root), its own; 1 is the first.
struct TreePlace {
  int depth = 1;
  int parent_rank = 0;
  int rank = 1;

  auto operator<=>(const TreePlace&) const = default;
};

/// Chances that a node is the accepted one, given that its parent was, from weighted counts. A
/// place where little was counted takes what was counted at all depths behind parents of the same
/// place, and if that is little too, what was counted of all children of its own place.
class SiblingAcceptance {
 public:
  static constexpr double kLeastWeight = 30.0;  ///< parents reached; less is little

  /// @param reached   chances that the parent is accepted, summed, >= 0 @param accepted  of those
  /// that the node is
  /// @throws ContractError unless 0 <= accepted <= reached and the place is one
  void add(const TreePlace& place, double reached, double accepted);

  /// 0 where no child of this place among its siblings was ever counted.
  double at(const TreePlace& place) const;
  /// What was counted of all children of a place among their siblings, Sequoia's positional
  /// acceptance. @param rank  1 is the first
  double of_rank(int rank) const;
  int most_ranks() const;  ///< the last place among siblings that was counted

  /// at() of every drafted node of a shape, in its order. Rates of different places come from
  /// different drafts and may sum to more than 1 over siblings: a later one then gets what the
  /// earlier ones leave.
  std::vector<double> of_nodes(const TreeShape& shape) const;
  /// of_rank() of ranks 1 to most_ranks(), likewise.
  std::vector<double> of_ranks() const;

 private:
  struct Count {
    double reached = 0.0, accepted = 0.0;
    void add(double more_reached, double more_accepted) {
      reached += more_reached, accepted += more_accepted;
    }
    double rate() const { return reached > 0.0 ? accepted / reached : 0.0; }
  };

  std::map<TreePlace, Count> places_;
  std::map<TreePlace, Count> all_depths_;  ///< depth 1: parents that are the root, 2: others
  std::map<int, Count> ranks_;
};

/// The nodes with the largest products of chances along their paths, taken one by one, siblings in
/// their order: the best tree wherever a later sibling and a further level are never likelier than
/// the one before. The smallest on ties.
/// @throws ContractError if a budget is out of range
/// @source NTT 2023, heap over sums of log-probabilities, on the chances measured of places instead
/// of one draft's
OptimalTree likeliest_tree(const SiblingAcceptance& acceptance, const TreeBudget& budget);

/// Tokens a round of such trees of at most 1, 2, ... budget.nodes nodes, one entry each.
std::vector<double> likeliest_tree_tokens(const SiblingAcceptance& acceptance,
                                          const TreeBudget& budget);

}  // namespace speclab::sim
