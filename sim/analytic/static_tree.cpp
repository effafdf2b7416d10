#include "sim/analytic/static_tree.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

void expect_ranks(std::span<const double> rank_acceptance) {
  double total = 0.0;
  for (const double acceptance : rank_acceptance) {
    SPECLAB_EXPECT(acceptance >= 0.0, "rank_acceptance must not be negative");
    total += acceptance;
  }
  SPECLAB_EXPECT(total <= 1.0 + 1e-9, "rank_acceptance sums to " + std::to_string(total) + ", above 1");
}

/// What the best tree of n nodes, at most l levels and exactly b children of the root is made of: its last child's subtree
/// has `last_nodes` nodes and `last_children` children of its own.
struct Choice {
  double tokens = -std::numeric_limits<double>::infinity();
  int last_nodes = 0;
  int last_children = 0;
};

class SequoiaTable {
 public:
  SequoiaTable(std::span<const double> rank_acceptance, const TreeBudget& budget)
      : ranks_(rank_acceptance), budget_(budget), width_(static_cast<int>(rank_acceptance.size()) + 1) {
    table_.resize(static_cast<std::size_t>(budget.nodes) * static_cast<std::size_t>(budget.levels) * static_cast<std::size_t>(width_));
    for (int levels = 1; levels <= budget.levels; ++levels)
      for (int nodes = 1; nodes <= budget.nodes; ++nodes) fill(nodes, levels);
  }

  /// Children of the root in the best tree of exactly `nodes` nodes, -1 if there is none.
  int best_children(int nodes, int levels) const {
    int best = -1;
    for (int children = 0; children < width_; ++children)
      if (at(nodes, levels, children).tokens > (best < 0 ? -1.0 : at(nodes, levels, best).tokens)) best = children;
    return best;
  }

  const Choice& at(int nodes, int levels, int children) const {
    return table_[static_cast<std::size_t>(((nodes - 1) * budget_.levels + levels - 1) * width_ + children)];
  }

 private:
  void fill(int nodes, int levels) {
    Choice& leaf = table_[static_cast<std::size_t>(((nodes - 1) * budget_.levels + levels - 1) * width_)];
    if (nodes == 1) leaf.tokens = 1.0;
    if (levels == 1) return;
    for (int children = 1; children < width_; ++children) (&leaf)[children] = best_split(nodes, levels, children);
  }

  /// The best way to give the last of `children` children a subtree of m of the nodes.
  Choice best_split(int nodes, int levels, int children) const {
    Choice best;
    for (int m = 1; m < nodes; ++m) {
      const int last_children = best_children(m, levels - 1);
      if (last_children < 0) continue;
      const double tokens = at(nodes - m, levels, children - 1).tokens +
                            ranks_[static_cast<std::size_t>(children - 1)] * at(m, levels - 1, last_children).tokens;
      if (tokens > best.tokens) best = {tokens, m, last_children};
    }
    return best;
  }

  std::span<const double> ranks_;
  TreeBudget budget_;
  int width_;
  std::vector<Choice> table_;
};

/// Subtree to be unfolded: its place in the table.
struct Subtree {
  int nodes;
  int levels;
  int children;
};

/// Subtrees of the children of `tree`, in rank order.
std::vector<Subtree> unfold(const SequoiaTable& table, Subtree tree) {
  std::vector<Subtree> subtrees;
  for (; tree.children > 0; --tree.children) {
    const Choice& choice = table.at(tree.nodes, tree.levels, tree.children);
    subtrees.push_back({choice.last_nodes, tree.levels - 1, choice.last_children});
    tree.nodes -= choice.last_nodes;
  }
  std::reverse(subtrees.begin(), subtrees.end());
  return subtrees;
}

TreeShape shape_of(const SequoiaTable& table, Subtree root) {
  std::vector<Subtree> queue{root};
  std::vector<int> parents;
  for (std::size_t node = 0; node < queue.size(); ++node)
    for (const Subtree& child : unfold(table, queue[node])) {
      parents.push_back(static_cast<int>(node));
      queue.push_back(child);
    }
  return TreeShape::from_parents(std::move(parents));
}

}  // namespace

double tree_tokens_per_round(const TreeShape& shape, std::span<const double> rank_acceptance) {
  expect_ranks(rank_acceptance);
  std::vector<double> score{1.0};
  double total = 1.0;
  int previous_parent = -1;
  std::size_t rank = 0;
  for (const int parent : shape.parents()) {
    rank = parent == previous_parent ? rank + 1 : 0;
    previous_parent = parent;
    SPECLAB_EXPECT(rank < rank_acceptance.size(), "node " + std::to_string(parent) + " has more children than rank_acceptance has entries");
    score.push_back(score[static_cast<std::size_t>(parent)] * rank_acceptance[rank]);
    total += score.back();
  }
  return total;
}

OptimalTree sequoia_optimal_tree(std::span<const double> rank_acceptance, const TreeBudget& budget) {
  expect_ranks(rank_acceptance);
  SPECLAB_EXPECT(budget.nodes >= 1 && budget.nodes <= 4096 && budget.levels >= 1 && budget.levels <= 4096, "tree budgets are 1 to 4096");
  const SequoiaTable table(rank_acceptance, budget);
  Subtree best{1, 1, 0};
  for (int nodes = 1; nodes <= budget.nodes; ++nodes) {
    const int children = table.best_children(nodes, budget.levels);
    if (children >= 0 && table.at(nodes, budget.levels, children).tokens > table.at(best.nodes, best.levels, best.children).tokens)
      best = {nodes, budget.levels, children};
  }
  return {shape_of(table, best), table.at(best.nodes, best.levels, best.children).tokens};
}

HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance, std::span<const VerifyCost> options,
                                      double cost_ratio, int max_levels) {
  SPECLAB_EXPECT(!options.empty() && max_levels >= 1 && cost_ratio >= 0.0, "needs an option, a level and a cost_ratio >= 0");
  HardwareAwareTree best{.budget = {}, .predicted_speedup = 0.0};
  for (const VerifyCost& option : options) {
    SPECLAB_EXPECT(option.ratio > 0.0, "a verify cost must be positive");
    for (int levels = 1; levels <= max_levels; ++levels) {
      const TreeBudget budget{option.nodes, levels};
      const double tokens = sequoia_optimal_tree(rank_acceptance, budget).tokens_per_round;
      const double speedup = tokens / (option.ratio + (levels - 1) * cost_ratio);
      if (speedup > best.predicted_speedup) best = {budget, speedup};
    }
  }
  return best;
}

}  // namespace speclab::sim
