#pragma once
// A tree of drafted tokens in the order in which they were drawn. A chain is a tree whose nodes
// have at most one child each.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab {

/// Node 0 is the root: the pending token, the last one emitted, not yet in the target's cache.
class TokenTree {
 public:
  using Node = std::int32_t;
  static constexpr Node kNone = -1;

  struct Entry {
    Token token = 0;
    Node parent = kNone;
    std::int32_t depth = 0;  ///< root 0
    std::int32_t row = 0;  ///< row of the target forward; nodes with the same path of tokens (drawn
                           ///< with replacement) share one
  };

  /// Empties the tree and makes `pending` its root; keeps the storage.
  void reset(Token pending);
  /// Appends a node drawn after all earlier ones. A node of the same path gets the row of the
  /// first. @return its id
  Node add(Node parent, Token token);

  std::int32_t size() const {
    return static_cast<std::int32_t>(entries_.size());
  }  ///< nodes, root included
  std::int32_t drafted() const { return size() - 1; }
  std::int32_t num_rows() const { return num_rows_; }  ///< rows to forward, root included
  const Entry& operator[](Node node) const { return entries_[static_cast<std::size_t>(node)]; }
  /// Children of `node` in drawing order, appended to `out` after clearing it.
  void children(Node node, std::vector<Node>& out) const;
  bool is_chain() const;
  /// Node whose row is `row` (the first of those with its path).
  Node node_of_row(std::int32_t row) const;

 private:
  std::vector<Entry> entries_;
  std::int32_t num_rows_ = 0;
};

/// A shape without tokens: the number of children on each level, or explicit parents. Written as
/// "chain", "3" (chain of 3), "2x2x1" (children on each level) or "parents:0,0,1,1".
class TreeShape {
 public:
  /// @throws ConfigError on anything else, with the allowed forms
  static TreeShape parse(const std::string& text, int speculation_length);
  static TreeShape chain(int speculation_length);
  static TreeShape levels(std::span<const int> children_per_level);
  static TreeShape from_parents(std::vector<int> parents);

  /// parents[i] is the parent of node i + 1 (root 0); parents are listed level by level, siblings
  /// adjacent.
  const std::vector<int>& parents() const { return parents_; }
  int num_nodes() const {
    return static_cast<int>(parents_.size());
  }  ///< drafted nodes, root not counted
  int depth() const;

 private:
  std::vector<int> parents_;
};

}  // namespace speclab
