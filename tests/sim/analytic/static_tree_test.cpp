#include "sim/analytic/static_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "sim/analytic/tokens_per_round.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

const std::vector<double> kRanks{0.57, 0.27, 0.08};

/// Every shape of `nodes` drafted nodes: parents that never fall.
void for_each_shape(int nodes, std::vector<int>& parents, const std::function<void(const TreeShape&)>& visit) {
  visit(TreeShape::from_parents(parents));
  if (static_cast<int>(parents.size()) == nodes) return;
  for (int parent = parents.empty() ? 0 : parents.back(); parent <= static_cast<int>(parents.size()); ++parent) {
    parents.push_back(parent);
    for_each_shape(nodes, parents, visit);
    parents.pop_back();
  }
}

bool fits(const TreeShape& shape, std::size_t max_children, int levels) {
  std::vector<std::size_t> children(static_cast<std::size_t>(shape.num_nodes()) + 1, 0);
  for (const int parent : shape.parents())
    if (++children[static_cast<std::size_t>(parent)] > max_children) return false;
  return shape.depth() + 1 <= levels;
}

TEST(SequoiaOptimalTree, IsTheBestOfAllShapes) {
  for (int nodes = 1; nodes <= 8; ++nodes)
    for (int levels = 1; levels <= 5; ++levels) {
      double best = 0.0;
      std::vector<int> parents;
      for_each_shape(nodes - 1, parents, [&](const TreeShape& shape) {
        if (fits(shape, kRanks.size(), levels)) best = std::max(best, tree_tokens_per_round(shape, kRanks));
      });
      EXPECT_NEAR(sequoia_optimal_tree(kRanks, {nodes, levels}).tokens_per_round, best, 1e-12) << nodes << " nodes, " << levels << " levels";
    }
}

TEST(SequoiaOptimalTree, ReturnsAShapeThatHasTheValueAndKeepsTheBudget) {
  for (const TreeBudget& budget : {TreeBudget{1, 1}, TreeBudget{7, 3}, TreeBudget{16, 4}, TreeBudget{64, 10}}) {
    const OptimalTree tree = sequoia_optimal_tree(kRanks, budget);
    EXPECT_NEAR(tree_tokens_per_round(tree.shape, kRanks), tree.tokens_per_round, 1e-12);
    EXPECT_LE(tree.shape.num_nodes() + 1, budget.nodes);
    EXPECT_LE(tree.shape.depth() + 1, budget.levels);
  }
}

TEST(TreeTokensPerRound, IsTheChainsFormulaForAChain) {
  EXPECT_NEAR(tree_tokens_per_round(TreeShape::chain(5), std::vector<double>{0.8}), tokens_per_round(0.8, 5), 1e-14);
  EXPECT_EQ(tree_tokens_per_round(TreeShape::chain(0), std::vector<double>{}), 1.0);
}

TEST(StaticTree, RefusesArgumentsOutOfRange) {
  EXPECT_THROW(tree_tokens_per_round(TreeShape::parse("2", 0), std::vector<double>{}), ContractError);
  EXPECT_THROW(tree_tokens_per_round(TreeShape::parse("2x1", 0), std::vector<double>{0.5}), ContractError);
  EXPECT_THROW(tree_tokens_per_round(TreeShape::chain(1), std::vector<double>{0.6, 0.5}), ContractError);
  EXPECT_THROW(sequoia_optimal_tree(kRanks, {0, 1}), ContractError);
  EXPECT_THROW(hardware_aware_tree(kRanks, {}, 0.1, 3), ContractError);
}

}  // namespace
}  // namespace speclab::sim
