#pragma once
// The form of a draft: a shape fixed beforehand, or one that grows from the likeliest tokens.

#include <algorithm>
#include <string>
#include <vector>

#include "sim/core/token_tree.h"

namespace speclab {

/// Written like a TreeShape, or as "best_first:NODES", "beam:NODES", either also with ":CHILDREN",
/// or as "suffixes:COUNT:CHILDREN". CHILDREN is a number. Except for beams it may be one number for
/// each level, for example "5x3x2": for the root, for a node of level 1, and so on.
struct TreeGrowth {
  enum class Kind {
    shape,
    /// The tokens whose paths have the largest products of probabilities. Their number is `nodes`;
    /// "best_first:adaptive" takes it from the policy's length. A node has only its most likely
    /// children.
    /// @source NTT 2023, heap of summed log-probabilities
    best_first,
    /// Like best_first, but each level follows only its best nodes, and no more of them than a node
    /// has children.
    /// @source Li et al. 2024, EAGLE-2, sections 4.1 and 4.2
    beam,
    /// Paths from the root to the last level, merged at their common beginnings. Their number is
    /// `suffixes`, and they have the largest products of probabilities.
    /// @source IBM 2024, released code of the MLP speculator: top-k per head 5, 3, 2, and the best
    /// suffixes as one tree
    suffixes,
  };
  static constexpr int kDefaultChildren = 5;     ///< the number in NTT's listing
  static constexpr int kMostNodes = 512;         ///< limit for a tree that grows
  static constexpr int kMostAdaptiveNodes = 64;  ///< limit for a tree whose nodes the policy counts

  Kind kind = Kind::shape;
  TreeShape shape{};
  int nodes = 0;                ///< largest number of drafted nodes
  bool is_adaptive = false;     ///< a policy's length counts nodes
  std::vector<int> children{};  ///< largest number of children by the node's level; the last entry
                                ///< holds for all later levels
  int suffixes = 0;
  int nodes_before_choice = 0;  ///< nodes of all suffixes, before the best are chosen

  /// @param speculation_length  length of "chain"
  /// @throws ConfigError on anything else, with the allowed forms
  static TreeGrowth parse(const std::string& text, int speculation_length);

  bool is_grown() const { return kind != Kind::shape; }
  int max_nodes() const { return is_grown() ? nodes : shape.num_nodes(); }
  int max_depth() const;
  /// Most children of a node on this level (root: 0). In a beam also the number of nodes of a level
  /// that are followed.
  int children_at(int level) const {
    return children[std::min(static_cast<std::size_t>(level), children.size() - 1)];
  }
  /// Drafted nodes on levels 1 to `depth`, at most.
  int nodes_to_depth(int depth) const;
};

}  // namespace speclab
