#pragma once
#include <cstddef>
#include <vector>

#include "sim/core/token_tree.h"
#include "sim/monte_carlo/acceptance_process.h"

namespace speclab::sim {

/// A path down a tree: how far it came, and what it met.
struct TreePath {
  int accepted = 0;
  int tested = 0;
  bool ended_at_leaf = false;  ///< so that a bonus token follows
};

/// A shape with the chances of its ranks, ready for paths to be drawn through it.
///
/// rank_acceptance[b] is the chance that child b of a node is the accepted one, given that the node
/// was. A process changes the first rank's chance from level to level; the later ranks then catch
/// the same shares of what the first leaves: with the first at a they have (1 - a)
/// rank_acceptance[b] / (1 - rank_acceptance[0]), which at a = rank_acceptance[0] is what was
/// given.
class DraftTree {
 public:
  /// @throws ContractError if rank_acceptance is no sub-probability or shorter than the widest node
  DraftTree(const TreeShape& shape, std::vector<double> rank_acceptance);

  int depth() const { return static_cast<int>(rows_of_depth_.size()) - 1; }
  /// Target rows of the tree cut to `levels` levels, root included. @param levels  0 to depth()
  int rows(int levels) const { return rows_of_depth_[static_cast<std::size_t>(levels)]; }

  /// Draws a path through the tree cut to `levels` levels.
  /// @param acceptance_of_level  of the first rank at a level, counted from 0. @param coin_of_level
  /// a uniform for that level
  template <typename Acceptance, typename Coin>
  TreePath walk(int levels, const Acceptance& acceptance_of_level,
                const Coin& coin_of_level) const {
    TreePath path;
    for (std::size_t node = 0; nodes_[node].children > 0 && path.accepted < levels;) {
      const int rank = accepted_rank(acceptance_of_level(path.accepted),
                                     coin_of_level(path.accepted), nodes_[node].children);
      if (rank == kNone) {
        path.tested += nodes_[node].children;
        return path;
      }
      path.tested += rank + 1;
      node = static_cast<std::size_t>(nodes_[node].first_child + rank);
      ++path.accepted;
    }
    path.ended_at_leaf = true;
    return path;
  }

 private:
  static constexpr int kNone = -1;

  struct Node {
    int first_child = 0;
    int children = 0;
  };

  /// The child, from 0, that the coin accepts, or kNone.
  int accepted_rank(double first_acceptance, double coin, int children) const {
    for (int rank = 0; rank < children; ++rank)
      if (coin < first_acceptance +
                     (1.0 - first_acceptance) * sibling_share_[static_cast<std::size_t>(rank)])
        return rank;
    return kNone;
  }

  std::vector<double> rank_acceptance_;
  std::vector<double>
      sibling_share_;  ///< [b]: what ranks 1 to b catch of what rank 0 leaves; [0] is 0
  std::vector<Node> nodes_;
  std::vector<int> rows_of_depth_;
};

}  // namespace speclab::sim
