#include "tests/engines/drafters/likely_paths.h"

#include <algorithm>
#include <cmath>

#include "sim/core/tree_growth.h"

namespace speclab::engines::testing {
namespace {

void take_best(std::vector<Likely>& candidates, std::size_t count) {
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Likely::log_probability);
  candidates.resize(std::min(candidates.size(), count));
}

/// A heap: the best candidate becomes a node, and its children become candidates.
std::set<TokenPath> best_first(const Children& children, const TreeGrowth& growth, int levels) {
  std::set<TokenPath> nodes;
  std::vector<Likely> heap = children({0.0, {}}, growth.children_at(0));
  while (!heap.empty() && nodes.size() < static_cast<std::size_t>(growth.nodes)) {
    const auto best = std::ranges::max_element(heap, {}, &Likely::log_probability);
    const Likely node = *best;
    heap.erase(best);
    nodes.insert(node.path);
    const auto level = static_cast<int>(node.path.size());
    if (level < levels)
      for (const Likely& child : children(node, growth.children_at(level))) heap.push_back(child);
  }
  return nodes;
}

/// Level by level the best nodes are followed; in the end the best of all that was seen.
std::set<TokenPath> beam(const Children& children, const TreeGrowth& growth, int levels) {
  std::vector<Likely> level{{0.0, {}}}, seen;
  for (int depth = 0; depth < levels; ++depth) {
    std::vector<Likely> next;
    for (const Likely& node : level)
      for (const Likely& child : children(node, growth.children_at(depth))) next.push_back(child);
    seen.insert(seen.end(), next.begin(), next.end());
    take_best(next, static_cast<std::size_t>(growth.children_at(depth)));
    level = next;
  }
  take_best(seen, static_cast<std::size_t>(growth.nodes));
  std::set<TokenPath> nodes;
  for (const Likely& node : seen) nodes.insert(node.path);
  return nodes;
}

/// Every path of the full length, each ranked by itself; then what the best begin with.
std::set<TokenPath> suffixes(const Children& children, const TreeGrowth& growth, int levels) {
  std::vector<Likely> ranked{{0.0, {}}};
  for (int depth = 0; depth < std::min(levels, growth.max_depth()); ++depth) {
    std::vector<Likely> longer;
    for (const Likely& path : ranked)
      for (const Likely& child : children(path, growth.children_at(depth))) longer.push_back(child);
    ranked = longer;
  }
  take_best(ranked, static_cast<std::size_t>(growth.suffixes));
  std::set<TokenPath> nodes;
  for (const Likely& suffix : ranked)
    for (std::size_t length = 1; length <= suffix.path.size(); ++length)
      nodes.emplace(suffix.path.begin(), suffix.path.begin() + static_cast<std::ptrdiff_t>(length));
  return nodes;
}

}  // namespace

std::vector<Likely> likeliest(const std::vector<double>& probabilities, const Likely& parent,
                              int count) {
  std::vector<Likely> children;
  for (std::size_t token = 0; token < probabilities.size(); ++token) {
    if (probabilities[token] <= 0) continue;
    children.push_back({parent.log_probability + std::log(probabilities[token]), parent.path});
    children.back().path.push_back(static_cast<Token>(token));
  }
  std::ranges::stable_sort(children, std::ranges::greater(), &Likely::log_probability);
  children.resize(std::min(children.size(), static_cast<std::size_t>(count)));
  return children;
}

std::set<TokenPath> likely_paths(const Children& children, const std::string& tree, int levels) {
  const TreeGrowth growth = TreeGrowth::parse(tree, 0);
  if (growth.kind == TreeGrowth::Kind::suffixes) return suffixes(children, growth, levels);
  return growth.kind == TreeGrowth::Kind::beam ? beam(children, growth, levels)
                                               : best_first(children, growth, levels);
}

}  // namespace speclab::engines::testing
