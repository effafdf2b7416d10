#pragma once
// How a draft gets its form: a shape fixed beforehand, or from how likely the drafter holds its
// tokens.

#include <algorithm>
#include <string>
#include <vector>

#include "sim/core/token_tree.h"

namespace speclab {

/// Written as TreeShape is, or as "best_first:NODES" or "beam:NODES", CHILDREN behind it or not as
/// in "beam:NODES:CHILDREN", or as "suffixes:COUNT:CHILDREN". CHILDREN is a number, or but for
/// beams one a level as in "5x3x2": of the root, of a node of level 1, and so on.
struct TreeGrowth {
  enum class Kind {
    shape,
    /// The `nodes` tokens whose paths have the largest product of probabilities, each node with at
    /// most its most likely children. "best_first:adaptive": as many as the policy's length.
    /// @source NTT 2023, heap of summed log-probabilities
    best_first,
    /// As many, of what is seen while only as many of the best nodes of each level are followed as
    /// a node has children.
    /// @source Li et al. 2024, EAGLE-2, sections 4.1 and 4.2
    beam,
    /// The `suffixes` paths, from the root to the last level, with the largest product of
    /// probabilities, what they begin with in common.
    /// @source IBM 2024, released code of the MLP speculator: top-k per head 5, 3, 2, and the best
    /// suffixes as one tree
    suffixes,
  };
  static constexpr int kDefaultChildren = 5;     ///< as in NTT's listing
  static constexpr int kMostNodes = 512;         ///< of a tree that is grown
  static constexpr int kMostAdaptiveNodes = 64;  ///< of one whose nodes the policy counts

  Kind kind = Kind::shape;
  TreeShape shape{};
  int nodes = 0;             ///< drafted at most
  bool is_adaptive = false;  ///< a policy's length counts nodes
  std::vector<int>
      children{};  ///< at most, [level] of the node; the last holds for all later levels
  int suffixes = 0;
  int nodes_before_choice = 0;  ///< of all suffixes, of which the best are chosen

  /// @param speculation_length  of "chain" @throws ConfigError on anything else, naming what is
  /// allowed
  static TreeGrowth parse(const std::string& text, int speculation_length);

  bool is_grown() const { return kind != Kind::shape; }
  int max_nodes() const { return is_grown() ? nodes : shape.num_nodes(); }
  int max_depth() const;
  /// Of a node on this level, the root's being 0; in a beam also of the nodes of a level that are
  /// followed.
  int children_at(int level) const {
    return children[std::min(static_cast<std::size_t>(level), children.size() - 1)];
  }
  /// Drafted nodes on levels 1 to `depth`, at most.
  int nodes_to_depth(int depth) const;
};

}  // namespace speclab
