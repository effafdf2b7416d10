#include "sim/analytic/static_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "sim/analytic/sequoia_table.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/analytic/tree_families.h"
#include "sim/system/errors.h"
#include "tests/sim/analytic/every_shape.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"
#include "tests/support/surface_speedup.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Ranks = std::vector<double>;

const Ranks kRanks{0.57, 0.27, 0.08};

std::size_t most_children(const TreeShape& shape) {
  std::vector<std::size_t> children(static_cast<std::size_t>(shape.num_nodes()) + 1, 0);
  for (const int parent : shape.parents()) ++children[static_cast<std::size_t>(parent)];
  return *std::ranges::max_element(children);
}

/// Tokens of all outcomes below `node`, each with its chance: a round ends at a node whose children
/// were all refused, `depth` tokens accepted and one more drawn.
/// @param chance  (child, its rank) -> P(it is the accepted child)
double outcomes_below(const TreeShape& shape, const std::function<double(int, std::size_t)>& chance,
                      int node, int depth) {
  double below = 0.0, none = 1.0;
  std::size_t rank = 0;
  for (int child = 1; child <= shape.num_nodes(); ++child)
    if (shape.parents()[static_cast<std::size_t>(child - 1)] == node) {
      const double here = chance(child, rank++);
      below += here * outcomes_below(shape, chance, child, depth + 1);
      none -= here;
    }
  return below + none * (depth + 1);
}

constexpr int kShapesOfUpToSevenNodes =
    1 + 1 + 2 + 5 + 14 + 42 + 132;  // ordered trees: the Catalan numbers

TEST(TreeTokensPerRound, EqualsEnumerationForAllTreesOfUpToSevenNodes) {
  const Ranks ranks{0.3, 0.25, 0.15, 0.1, 0.08, 0.05};
  int shapes = 0;
  for_each_shape(6, [&](const TreeShape& shape) {
    EXPECT_NEAR(
        tree_tokens_per_round(shape, ranks),
        outcomes_below(shape, [&](int, std::size_t rank) { return ranks[rank]; }, 0, 0), 1e-14);
    ++shapes;
  });
  EXPECT_EQ(shapes, kShapesOfUpToSevenNodes);
}

/// A chance for every node, those of siblings together at most 1.
std::vector<double> random_node_acceptance(RandomValues& values, const TreeShape& shape) {
  std::vector<double> by_node;
  for (std::size_t first = 0, last = 0; first < shape.parents().size(); first = last) {
    while (last < shape.parents().size() && shape.parents()[last] == shape.parents()[first]) ++last;
    const Ranks siblings = values.ranks(static_cast<int>(last - first));
    by_node.insert(by_node.end(), siblings.begin(), siblings.end());
  }
  return by_node;
}

TEST(TreeTokensPerRoundByNode, EqualsEnumerationForAllTreesOfUpToSevenNodes) {
  int shapes = 0;
  for_random_values(
      [&](RandomValues& values) {
        for_each_shape(6, [&](const TreeShape& shape) {
          const auto by_node = random_node_acceptance(values, shape);
          const auto chance = [&](int node, std::size_t) {
            return by_node[static_cast<std::size_t>(node - 1)];
          };
          EXPECT_NEAR(tree_tokens_per_round_by_node(shape, by_node),
                      outcomes_below(shape, chance, 0, 0), 1e-14);
          ++shapes;
        });
      },
      20);
  EXPECT_EQ(shapes, 20 * kShapesOfUpToSevenNodes);
}

/// Worked by hand: 1 + .5 + .25 + .5 * .75 + .5 * .25 + .25 * .5 + .5 * .75 * .5.
TEST(TreeTokensPerRoundByNode, IsTheSumOfTheProductsAlongItsPaths) {
  EXPECT_EQ(tree_tokens_per_round_by_node(TreeShape::parse("parents:0,0,1,1,2,3", 0),
                                          Ranks{0.5, 0.25, 0.75, 0.25, 0.5, 0.5}),
            2.5625);
}

TEST(TreeTokensPerRoundByNode,
     IsThatByRankWhereNodesOfOneRankAreAlikeAndTheChainsWhereEachHasOneChild) {
  const auto tree = TreeShape::parse("2x2", 0);
  EXPECT_EQ(tree_tokens_per_round_by_node(tree, Ranks{0.57, 0.27, 0.57, 0.27, 0.57, 0.27}),
            tree_tokens_per_round(tree, kRanks));
  const Ranks falling{0.9, 0.7, 0.4};
  EXPECT_NEAR(tree_tokens_per_round_by_node(TreeShape::chain(3), falling),
              tokens_per_round_from_conditional(falling), 1e-15);
}

TEST(TreeTokensPerRoundByNode, ReachesItsLimits) {
  const auto tree = TreeShape::parse("2x2", 0);
  EXPECT_EQ(tree_tokens_per_round_by_node(TreeShape::chain(0), Ranks{}), 1.0);
  EXPECT_EQ(tree_tokens_per_round_by_node(tree, Ranks(6, 0.0)), 1.0) << "nothing is accepted";
  EXPECT_EQ(tree_tokens_per_round_by_node(tree, Ranks{0.0, 1.0, 0.0, 0.0, 1.0, 0.0}), 3.0)
      << "one path is certain";
  EXPECT_EQ(tree_tokens_per_round_by_node(tree, Ranks{0.0, 0.5, 1.0, 0.0, 0.0, 0.0}), 1.5)
      << "below a node that never is nothing counts";
}

/// Best value over all shapes by (nodes, levels), at most that many of each.
std::vector<std::vector<double>> best_of_all_shapes(const Ranks& ranks, int nodes) {
  std::vector<std::vector<double>> best(static_cast<std::size_t>(nodes) + 1,
                                        Ranks(static_cast<std::size_t>(nodes) + 1, 1.0));
  for_each_shape(nodes - 1, [&](const TreeShape& shape) {
    if (most_children(shape) > ranks.size()) return;
    double& value = best[static_cast<std::size_t>(shape.num_nodes() + 1)]
                        [static_cast<std::size_t>(shape.depth() + 1)];
    value = std::max(value, tree_tokens_per_round(shape, ranks));
  });
  for (std::size_t n = 1; n < best.size(); ++n)
    for (std::size_t l = 1; l < best[n].size(); ++l)
      best[n][l] = std::max({best[n][l], best[n - 1][l], best[n][l - 1]});
  return best;
}

TEST(SequoiaOptimalTree, IsTheBestOfAllShapesForEveryBudgetUpToTen) {
  constexpr int kNodes = 10;
  for (const Ranks& ranks :
       {kRanks, Ranks{0.70, 0.11, 0.04, 0.03, 0.01}, Ranks{0.25, 0.25, 0.25, 0.25},
        Ranks{0.1, 0.5, 0.3}, Ranks{0.9}, Ranks{0.0, 0.6}, Ranks{}}) {
    const auto best = best_of_all_shapes(ranks, kNodes);
    for (int nodes = 1; nodes <= kNodes; ++nodes)
      for (int levels = 1; levels <= kNodes; ++levels)
        EXPECT_NEAR(sequoia_optimal_tree(ranks, {nodes, levels}).tokens_per_round,
                    best[static_cast<std::size_t>(nodes)][static_cast<std::size_t>(levels)], 1e-13)
            << nodes << " nodes, " << levels << " levels";
  }
}

void expect_tree_has_its_value(const OptimalTree& tree, const Ranks& ranks,
                               const TreeBudget& budget) {
  EXPECT_NEAR(tree_tokens_per_round(tree.shape, ranks), tree.tokens_per_round, 1e-11);
  EXPECT_LE(tree.shape.num_nodes() + 1, budget.nodes);
  EXPECT_LE(tree.shape.depth() + 1, budget.levels);
}

TEST(SequoiaOptimalTree, ReturnsAShapeThatHasTheValueAndKeepsTheBudget) {
  for_random_values([](RandomValues& values) {
    const Ranks ranks = values.ranks(values.integer(1, 6));
    const TreeBudget budget{values.integer(1, 60), values.integer(1, 12)};
    expect_tree_has_its_value(sequoia_optimal_tree(ranks, budget), ranks, budget);
  });
}

TEST(BestFirstTree, IsTheOptimalTreeWhereRanksFall) {
  for_random_values([](RandomValues& values) {
    const Ranks ranks = values.falling_ranks(values.integer(1, 6));
    const TreeBudget budget{values.integer(1, 60), values.integer(1, 12)};
    const OptimalTree tree = best_first_tree(ranks, budget);
    EXPECT_NEAR(tree.tokens_per_round, sequoia_optimal_tree(ranks, budget).tokens_per_round, 1e-12);
    expect_tree_has_its_value(tree, ranks, budget);
  });
}

TEST(BestFirstTree, AgreesWithTheProgramAtALargeBudget) {
  Ranks ranks;
  for (int rank = 0; rank < 31; ++rank) ranks.push_back(0.6 / ((rank + 1.0) * (rank + 1.0)));
  const TreeBudget large{512, 32};
  const OptimalTree tree = sequoia_optimal_tree(ranks, large);
  EXPECT_NEAR(tree.tokens_per_round, best_first_tree(ranks, large).tokens_per_round, 1e-11);
  expect_tree_has_its_value(tree, ranks, large);
}

TEST(OptimalTokens, AreThoseOfTheProgramForEverySizeRisingRanksOrFalling) {
  for (const Ranks& ranks : {kRanks, Ranks{0.1, 0.5, 0.3}}) {
    const OptimalTokens tokens(ranks, {12, 6});
    for (int nodes = 1; nodes <= 12; ++nodes)
      for (int levels = 1; levels <= 6; ++levels)
        EXPECT_NEAR(tokens.at_most(nodes, levels),
                    sequoia_optimal_tree(ranks, {nodes, levels}).tokens_per_round, 1e-13)
            << nodes << " " << levels;
  }
}

TEST(TreeTokensPerRound, IsTheChainsFormulaForAChain) {
  EXPECT_NEAR(tree_tokens_per_round(TreeShape::chain(5), Ranks{0.8}), tokens_per_round(0.8, 5),
              1e-14);
  EXPECT_EQ(tree_tokens_per_round(TreeShape::chain(0), Ranks{}), 1.0);
  EXPECT_EQ(sequoia_optimal_tree(Ranks{0.0, 0.0}, {9, 9}).shape.num_nodes(), 0)
      << "nodes that are never accepted are not drafted";
  EXPECT_EQ(best_first_tree(Ranks{0.0, 0.0}, {9, 9}).shape.num_nodes(), 0);
}

TEST(HardwareAwareTree, ChargesEveryDepthItsOwnDraft) {
  const Ranks ranks{0.7, 0.1};
  const std::vector<VerifyCost> options{{8, 1.2}};
  const std::vector<double> one_price{0.0, 0.3, 0.3, 0.3}, rising{0.0, 0.1, 0.2, 0.3};
  EXPECT_EQ(hardware_aware_tree(ranks, options, one_price).budget.levels, 4)
      << "further levels cost nothing";
  EXPECT_EQ(hardware_aware_tree(ranks, options, rising).predicted_speedup,
            hardware_aware_tree(ranks, options, 0.1, 4).predicted_speedup);
  const double one_level = sequoia_optimal_tree(ranks, {8, 2}).tokens_per_round / (1.2 + 0.3);
  EXPECT_EQ(hardware_aware_tree(ranks, options, std::vector<double>{9.0, 0.3}).predicted_speedup,
            one_level);
  EXPECT_THROW(hardware_aware_tree(ranks, options, std::vector<double>{0.0, -0.1}), ContractError);
}

TEST(HardwareAwareTree, IsTheBestOfItsOptions) {
  for_random_values([](RandomValues& values) {
    const Ranks ranks = values.falling_ranks(4);
    std::vector<VerifyCost> options;
    for (const int nodes : {1, 3, 7, 20}) options.push_back({nodes, values.uniform(1.0, 2.0)});
    const double cost = values.uniform(0.0, 0.3);
    const HardwareAwareTree best = hardware_aware_tree(ranks, options, cost, 6);
    double highest = 0.0;
    for (const VerifyCost& option : options)
      for (int levels = 1; levels <= 6; ++levels)
        highest =
            std::max(highest, sequoia_optimal_tree(ranks, {option.nodes, levels}).tokens_per_round /
                                  (option.ratio + (levels - 1) * cost));
    EXPECT_NEAR(best.predicted_speedup, highest, 1e-12);
  });
}

TEST(StaticTree, RefusesArgumentsOutOfRange) {
  EXPECT_THROW(tree_tokens_per_round(TreeShape::parse("2", 0), Ranks{}), ContractError);
  EXPECT_THROW(tree_tokens_per_round(TreeShape::parse("2x1", 0), Ranks{0.5}), ContractError);
  const std::vector<VerifyCost> options{{4, 1.0}};
  expect_refused([](const auto& ranks) { tree_tokens_per_round(TreeShape::chain(1), ranks); },
                 kNoRankAcceptance);
  expect_refused(
      [](const auto& siblings) {
        tree_tokens_per_round_by_node(
            TreeShape::levels(std::vector<int>{static_cast<int>(siblings.size())}), siblings);
      },
      kNoRankAcceptance);
  expect_refused(
      [](const auto& by_node) { tree_tokens_per_round_by_node(TreeShape::chain(2), by_node); },
      {Ranks{}, Ranks{0.5}, Ranks{0.5, 0.5, 0.5}, Ranks{0.5, 1.1}});
  expect_refused([](const auto& ranks) { sequoia_optimal_tree(ranks, {2, 2}); }, kNoRankAcceptance);
  expect_refused([](const auto& ranks) { best_first_tree(ranks, {2, 2}); }, kNoRankAcceptance);
  expect_refused([&](const auto& ranks) { hardware_aware_tree(ranks, options, 0.1, 2); },
                 kNoRankAcceptance);
  for (const TreeBudget budget : {TreeBudget{0, 1}, TreeBudget{1, 0}, TreeBudget{4097, 1},
                                  TreeBudget{1, 4097}, TreeBudget{-1, 1}}) {
    EXPECT_THROW(sequoia_optimal_tree(kRanks, budget), ContractError);
    EXPECT_THROW(best_first_tree(kRanks, budget), ContractError);
    EXPECT_THROW(best_first_scores(kRanks, budget), ContractError);
    EXPECT_THROW(OptimalTokens(kRanks, budget), ContractError);
  }
  EXPECT_THROW(best_first_tree(Ranks{0.1, 0.5}, {4, 4}), ContractError) << "ranks that rise";
  EXPECT_THROW(hardware_aware_tree(kRanks, {}, 0.1, 3), ContractError);
  EXPECT_THROW(hardware_aware_tree(kRanks, options, 0.1, 0), ContractError);
  expect_refused([&](double cost) { hardware_aware_tree(kRanks, options, cost, 3); }, kNegative);
  expect_refused(
      [](double ratio) {
        hardware_aware_tree(kRanks, std::vector<VerifyCost>{{4, ratio}}, 0.1, 3);
      },
      kNotPositive);
  EXPECT_THROW(OptimalTokens(kRanks, {4, 4}).at_most(5, 1), ContractError);
  EXPECT_THROW(OptimalTokens(kRanks, {4, 4}).at_most(1, 0), ContractError);
}

}  // namespace
}  // namespace speclab::sim
