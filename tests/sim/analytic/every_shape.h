#pragma once
#include <functional>
#include <vector>

#include "sim/core/token_tree.h"

namespace speclab::testing {

/// Every shape of at most `nodes` drafted nodes that begins with these parents: they never fall.
inline void for_each_shape(int nodes, std::vector<int>& parents,
                           const std::function<void(const TreeShape&)>& visit) {
  visit(TreeShape::from_parents(parents));
  if (static_cast<int>(parents.size()) == nodes) return;
  for (int parent = parents.empty() ? 0 : parents.back();
       parent <= static_cast<int>(parents.size()); ++parent) {
    parents.push_back(parent);
    for_each_shape(nodes, parents, visit);
    parents.pop_back();
  }
}

inline void for_each_shape(int nodes, const std::function<void(const TreeShape&)>& visit) {
  std::vector<int> parents;
  for_each_shape(nodes, parents, visit);
}

}  // namespace speclab::testing
