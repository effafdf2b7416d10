#include "sim/analytic/tree_families.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLargestExactCount = 9007199254740992.0;  // 2^53

/// A(width): that one of the first `width` children is accepted.
double any_child(std::span<const double> rank_acceptance, int width) {
  expect_rank_acceptance(rank_acceptance);
  SPECLAB_EXPECT(width >= 1 && static_cast<std::size_t>(width) <= rank_acceptance.size(),
                 "a width of " + std::to_string(width) + "; allowed: 1 to the " +
                     std::to_string(rank_acceptance.size()) + " entries of rank_acceptance");
  double total = 0.0;
  for (const double acceptance : rank_acceptance.first(static_cast<std::size_t>(width)))
    total += acceptance;
  return std::min(total, 1.0);
}

/// 1 + ratio + ... + ratio^depth.
double geometric_sum(double ratio, int depth) {
  expect_at_least(0, depth, "depth");
  double total = 0.0;
  for (int level = 0; level <= depth; ++level) total = 1.0 + ratio * total;
  return total;
}

/// `total` / (1 - ratio), the sum of what never ends.
double over_rest(double total, double ratio) {
  SPECLAB_EXPECT(ratio < 1.0, "children that are accepted for certain have no limit");
  return total / (1.0 - ratio);
}

/// A node that may be taken next. `parent` counts in the order of taking.
struct Leaf {
  double score = 1.0;
  std::size_t order = 0;  ///< of discovery; decides ties
  std::size_t parent = 0;
  std::size_t rank = 0;
  int level = 1;  ///< the root's is 1

  bool operator<(const Leaf& other) const {
    return score < other.score || (score == other.score && order > other.order);
  }
};

/// Nodes in the order of taking: a node is there before its children and its younger siblings,
/// because scores fall along both.
std::vector<Leaf> grown(std::span<const double> ranks, const TreeBudget& budget) {
  expect_rank_acceptance(ranks);
  budget.expect_valid();
  SPECLAB_EXPECT(std::ranges::is_sorted(ranks, std::ranges::greater{}),
                 "rank_acceptance rises; allowed: falling, for which best-first growth is optimal");
  std::vector<Leaf> nodes;
  std::priority_queue<Leaf> frontier;
  std::size_t discovered = 0;
  const auto offer = [&](double score, std::size_t parent, std::size_t rank, int level) {
    if (score > 0.0) frontier.push({score, discovered++, parent, rank, level});
  };
  offer(1.0, 0, 0, 1);
  while (!frontier.empty() && nodes.size() < static_cast<std::size_t>(budget.nodes)) {
    const Leaf node = frontier.top();
    frontier.pop();
    nodes.push_back(node);
    if (!ranks.empty() && node.level < budget.levels)
      offer(node.score * ranks[0], nodes.size() - 1, 0, node.level + 1);
    if (nodes.size() > 1 && node.rank + 1 < ranks.size())
      offer(nodes[node.parent].score * ranks[node.rank + 1], node.parent, node.rank + 1,
            node.level);
  }
  return nodes;
}

/// Parents in the order that TreeShape wants: level by level, siblings adjacent.
TreeShape shape_of(const std::vector<Leaf>& nodes) {
  std::vector<std::vector<std::size_t>> children(nodes.size());
  for (std::size_t node = 1; node < nodes.size(); ++node)
    children[nodes[node].parent].push_back(node);
  std::vector<std::size_t> by_level{0};
  std::vector<int> parents;
  for (std::size_t place = 0; place < by_level.size(); ++place)
    for (const std::size_t child : children[by_level[place]]) {
      parents.push_back(static_cast<int>(place));
      by_level.push_back(child);
    }
  return TreeShape::from_parents(std::move(parents));
}

}  // namespace

double k_ary_tokens_per_round(std::span<const double> rank_acceptance, int width, int depth) {
  return geometric_sum(any_child(rank_acceptance, width), depth);
}

double k_ary_nodes(int width, int depth) {
  expect_at_least(1, width, "width");
  expect_at_least(0, depth, "depth");
  return expansion_nodes(std::vector<int>(static_cast<std::size_t>(depth), width));
}

double independent_chains_tokens_per_round(std::span<const double> rank_acceptance, int chains,
                                           int depth) {
  const double any = any_child(rank_acceptance, chains);
  expect_at_least(0, depth, "depth");
  return depth == 0 ? 1.0 : 1.0 + any * geometric_sum(rank_acceptance[0], depth - 1);
}

double independent_chains_limit(std::span<const double> rank_acceptance, int chains) {
  return 1.0 + over_rest(any_child(rank_acceptance, chains), rank_acceptance[0]);
}

double expansion_tokens_per_round(std::span<const double> rank_acceptance,
                                  std::span<const int> expansion) {
  expect_rank_acceptance(rank_acceptance);
  double tokens = 1.0;
  double reached = 1.0;
  for (const int width : expansion) tokens += reached *= any_child(rank_acceptance, width);
  return tokens;
}

double expansion_nodes(std::span<const int> expansion) {
  double nodes = 1.0;
  double level = 1.0;
  for (const int width : expansion) {
    expect_at_least(1, width, "width");
    nodes += level *= width;
    SPECLAB_EXPECT(nodes <= kLargestExactCount, "the tree has more than 2^53 nodes");
  }
  return nodes;
}

int sequential_draft_forwards(int drafted_nodes) {
  expect_at_least(0, drafted_nodes, "drafted_nodes");
  return drafted_nodes + 1;
}

OptimalTree best_first_tree(std::span<const double> rank_acceptance, const TreeBudget& budget) {
  const std::vector<Leaf> nodes = grown(rank_acceptance, budget);
  const double tokens =
      std::accumulate(nodes.begin(), nodes.end(), 0.0,
                      [](double total, const Leaf& node) { return total + node.score; });
  return {shape_of(nodes), tokens};
}

std::vector<double> best_first_scores(std::span<const double> rank_acceptance,
                                      const TreeBudget& budget) {
  std::vector<double> scores;
  for (const Leaf& node : grown(rank_acceptance, budget)) scores.push_back(node.score);
  return scores;
}

}  // namespace speclab::sim
