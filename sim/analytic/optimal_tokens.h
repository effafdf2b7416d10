#pragma once
// Values of the best trees of all sizes up to a limit, for searches over sizes.

#include <span>
#include <vector>

#include "sim/analytic/static_tree.h"

namespace speclab::sim {

/// at_most(n, l) is tokens_per_round of the best tree of at most n nodes and l levels, for all n
/// and l up to the limits. One run of best-first growth a level where the ranks fall, one run of
/// the dynamic program where they do not.
class OptimalTokens {
 public:
  /// @throws ContractError as sequoia_optimal_tree
  OptimalTokens(std::span<const double> rank_acceptance, const TreeBudget& limits);

  /// @throws ContractError if an argument is below 1 or beyond the limits
  double at_most(int nodes, int levels) const;

 private:
  TreeBudget limits_;
  std::vector<std::vector<double>> by_level_;  ///< [levels - 1][nodes - 1]; rises along both
};

}  // namespace speclab::sim
