#pragma once
#include <random>
#include <vector>

namespace speclab::engines::cuda {

/// Parents of `size` nodes, each an earlier one drawn at random, -1 for the root; now and then the
/// last one, so that some paths are deep.
inline std::vector<int> random_tree(std::mt19937& random, int size) {
  std::vector<int> parents{-1};
  while (static_cast<int>(parents.size()) < size) {
    const auto last = static_cast<int>(parents.size()) - 1;
    parents.push_back(random() % 3 == 0 ? last : static_cast<int>(random() % parents.size()));
  }
  return parents;
}

/// From the root to `node`.
inline std::vector<int> path_to(const std::vector<int>& parents, int node) {
  std::vector<int> path;
  for (; node >= 0; node = parents[static_cast<std::size_t>(node)]) path.insert(path.begin(), node);
  return path;
}

}  // namespace speclab::engines::cuda
