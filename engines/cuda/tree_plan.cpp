#include "engines/cuda/tree_plan.h"

#include <numeric>

#include "sim/system/errors.h"

namespace speclab::engines::cuda {

TreePlan::TreePlan(const TreeShape& shape)
    : nodes_(static_cast<std::size_t>(shape.depth()) + 1), parents_(nodes_.size()) {
  SPECLAB_EXPECT(shape.num_nodes() <= kMaxDraftLength, "a tree on the device has at most 63 nodes");
  for (int node = shape.num_nodes(); node > 0; --node) {
    const auto parent =
        static_cast<std::size_t>(shape.parents()[static_cast<std::size_t>(node - 1)]);
    shape_.first_child[parent] = static_cast<std::uint8_t>(node);
    ++shape_.num_children[parent];
  }
  std::vector<std::size_t> level_of{0};
  for (const int parent : shape.parents())
    level_of.push_back(level_of[static_cast<std::size_t>(parent)] + 1);
  for (std::size_t node = 0; node < level_of.size(); ++node) {
    const bool has_children = shape_.num_children[node] > 0;
    ++nodes_[level_of[node]];
    parents_[level_of[node]] += has_children;
    shape_.parents_before[node + 1] =
        static_cast<std::uint8_t>(shape_.parents_before[node] + has_children);
  }
}

std::int32_t TreePlan::nodes_to(std::int32_t level) const {
  return std::accumulate(nodes_.begin(), nodes_.begin() + level + 1, 0);
}

}  // namespace speclab::engines::cuda
