#pragma once
// The dynamic program behind sequoia_optimal_tree.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/analytic/static_tree.h"

namespace speclab::sim {

/// Values of the best trees of exactly n nodes and at most l levels, for all n and l up to a
/// budget: the last of a root's b children has a subtree of m nodes, the rest of the tree the other
/// n - m. Levels are added until one more changes nothing.
/// @source Sequoia (Chen et al. 2024), Algorithms 1 and 4
class SequoiaTable {
 public:
  /// @throws ContractError if the budget is out of range or rank_acceptance is no sub-probability
  SequoiaTable(std::span<const double> rank_acceptance, const TreeBudget& budget);

  /// -infinity where there is no such tree.
  double tokens(int nodes, int levels) const { return level(levels).best[index(nodes)].tokens; }
  /// Nodes of the best tree of at most `nodes` nodes and `levels` levels, the smallest on ties.
  int best_size(int nodes, int levels) const;
  /// The best tree of exactly `nodes` nodes.
  TreeShape shape(int nodes, int levels) const;

 private:
  /// What a tree is worth and how many children its root has.
  struct Best {
    double tokens;
    int children;
  };
  /// The same for exactly b children, n nodes; last_nodes is the size of the last child's subtree.
  struct Level {
    std::vector<std::vector<double>> tokens;            ///< [b][n - 1]
    std::vector<std::vector<std::int16_t>> last_nodes;  ///< [b][n - 1]
    std::vector<Best> best;                             ///< [n - 1]
  };
  /// A subtree to be unfolded.
  struct Subtree {
    int nodes;
    int levels;
    int children;
  };

  static std::size_t index(int nodes) { return static_cast<std::size_t>(nodes - 1); }
  const Level& level(int levels) const;
  Level only_root() const;
  Level one_more(const Level& below) const;
  void split_best(const Level& below, std::size_t children, Level& here) const;
  std::vector<Subtree> children_of(Subtree tree) const;

  std::vector<double> ranks_;
  std::size_t nodes_;
  std::vector<Level> levels_;
};

// Values of the best trees of all sizes up to a limit, for searches over sizes.

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
