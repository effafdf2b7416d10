#pragma once
// How a draft gets its form: a shape fixed beforehand, or from how likely the drafter holds its tokens.

#include <string>

#include "sim/core/token_tree.h"

namespace speclab {

/// Written as TreeShape is, or as "best_first:NODES", "best_first:NODES:CHILDREN", "beam:NODES" or "beam:NODES:CHILDREN".
struct TreeGrowth {
  enum class Kind {
    shape,
    /// The `nodes` tokens whose paths have the largest product of probabilities, each node with at most its `children` most likely
    /// tokens. @source NTT 2023, heap of summed log-probabilities
    best_first,
    /// As many, of what is seen while only the `children` best nodes of each level are followed.
    /// @source Li et al. 2024, EAGLE-2, sections 4.1 and 4.2
    beam,
  };
  static constexpr int kDefaultChildren = 5;  ///< as in NTT's listing
  static constexpr int kMostNodes = 512;      ///< of a tree that is grown

  Kind kind = Kind::shape;
  TreeShape shape{};
  int nodes = 0;     ///< drafted at most
  int children = 0;  ///< of a node, and of a level's followed nodes

  /// @param speculation_length  of "chain" @throws ConfigError on anything else, naming what is allowed
  static TreeGrowth parse(const std::string& text, int speculation_length);

  bool is_grown() const { return kind != Kind::shape; }
  int max_nodes() const { return is_grown() ? nodes : shape.num_nodes(); }
  /// Drafted nodes on levels 1 to `depth`, at most.
  int nodes_to_depth(int depth) const;
};

}  // namespace speclab
