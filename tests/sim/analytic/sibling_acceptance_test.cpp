#include "sim/analytic/sibling_acceptance.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/sim/analytic/every_shape.h"

namespace speclab::sim {
namespace {

/// Counted often: harder with every level, and behind later siblings.
SiblingAcceptance falling_acceptance() {
  SiblingAcceptance acceptance;
  for (int depth = 1; depth <= 6; ++depth)
    for (int parent = depth == 1 ? 0 : 1; parent <= (depth == 1 ? 0 : 3); ++parent)
      for (int rank = 1; rank <= 3; ++rank)
        acceptance.add({depth, parent, rank}, 1000.0,
                       600.0 / (rank * rank) / (1 + 0.1 * depth) / std::max(1, parent));
  return acceptance;
}

double tokens_of(const TreeShape& shape, const SiblingAcceptance& acceptance) {
  return tree_tokens_per_round_by_node(shape, acceptance.of_nodes(shape));
}

TEST(SiblingAcceptance, IsTheRateOfAPlaceThatWasCountedOften) {
  const SiblingAcceptance acceptance = falling_acceptance();
  EXPECT_DOUBLE_EQ(acceptance.at({1, 0, 2}), 150.0 / 1.1 / 1000);
  EXPECT_DOUBLE_EQ(acceptance.at({3, 2, 1}), 300.0 / 1.3 / 1000);
  EXPECT_EQ(acceptance.most_ranks(), 3);
}

TEST(SiblingAcceptance, OfARarePlaceIsThatOfAllDepthsThenThatOfTheRank) {
  SiblingAcceptance acceptance;
  acceptance.add({1, 0, 1}, 100, 50);
  acceptance.add({2, 1, 1}, 50, 10);
  acceptance.add({3, 1, 1}, 10, 10);
  acceptance.add({2, 2, 1}, 5, 0);
  EXPECT_DOUBLE_EQ(acceptance.at({3, 1, 1}), 20.0 / 60) << "behind first children at any depth";
  EXPECT_DOUBLE_EQ(acceptance.at({9, 1, 1}), 20.0 / 60) << "deeper than anything counted";
  EXPECT_DOUBLE_EQ(acceptance.at({2, 2, 1}), 70.0 / 165) << "first children everywhere";
  EXPECT_DOUBLE_EQ(acceptance.of_rank(1), 70.0 / 165);
  EXPECT_EQ(acceptance.at({1, 0, 2}), 0.0) << "never counted";
}

TEST(SiblingAcceptance, OfSiblingsSumsToOneAtMost) {
  SiblingAcceptance acceptance;
  acceptance.add({1, 0, 1}, 100, 80);
  acceptance.add({1, 0, 2}, 40, 20);
  acceptance.add({1, 0, 3}, 40, 20);
  const TreeShape shape = TreeShape::from_parents({0, 0, 0});
  const std::vector<double> chances = acceptance.of_nodes(shape);
  EXPECT_DOUBLE_EQ(chances[0], 0.8);
  EXPECT_DOUBLE_EQ(chances[1], 1 - 0.8)
      << "of drafts that had a second child; what the first leaves";
  EXPECT_DOUBLE_EQ(chances[2], 0.0);
  EXPECT_EQ(acceptance.of_ranks(), chances);
  EXPECT_DOUBLE_EQ(likeliest_tree(acceptance, {9, 2}).tokens_per_round, 2.0)
      << "at most one child is accepted";
  EXPECT_DOUBLE_EQ(likeliest_tree_tokens(acceptance, {9, 2}).back(), 2.0);
}

TEST(SiblingAcceptance, RefusesCountsThatCannotBe) {
  SiblingAcceptance acceptance;
  EXPECT_THROW(acceptance.add({1, 0, 1}, 1, 2), ContractError);
  EXPECT_THROW(acceptance.add({1, 0, 1}, 1, -1), ContractError);
  EXPECT_THROW(acceptance.add({1, 1, 1}, 1, 1), ContractError);
  EXPECT_THROW(acceptance.add({2, 0, 1}, 1, 1), ContractError);
  EXPECT_THROW(acceptance.add({1, 0, 0}, 1, 1), ContractError);
}

/// Against every tree there is.
TEST(LikeliestTree, IsTheBestOfAllShapes) {
  const SiblingAcceptance acceptance = falling_acceptance();
  for (const int levels : {2, 3, 7})
    for (int nodes = 1; nodes <= 7; ++nodes) {
      double best = 0.0;
      speclab::testing::for_each_shape(nodes - 1, [&](const TreeShape& shape) {
        if (shape.depth() < levels) best = std::max(best, tokens_of(shape, acceptance));
      });
      const OptimalTree tree = likeliest_tree(acceptance, {nodes, levels});
      EXPECT_NEAR(tree.tokens_per_round, best, 1e-12) << nodes << " nodes, " << levels << " levels";
      EXPECT_NEAR(tokens_of(tree.shape, acceptance), best, 1e-12) << "as its shape says";
      EXPECT_NEAR(
          likeliest_tree_tokens(acceptance, {7, levels})[static_cast<std::size_t>(nodes - 1)], best,
          1e-12);
    }
}

/// Where a place does not matter it is Sequoia's tree.
TEST(LikeliestTree, IsSequoiasWhereOnlyTheRankMatters) {
  const std::vector<double> ranks{0.6, 0.2, 0.05};
  SiblingAcceptance acceptance;
  for (int rank = 1; rank <= 3; ++rank) {
    const double rate = ranks[static_cast<std::size_t>(rank - 1)];
    acceptance.add({1, 0, rank}, 1000, 1000 * rate);
    for (int parent = 1; parent <= 3; ++parent)
      acceptance.add({2, parent, rank}, 1000, 1000 * rate);
  }
  for (const int nodes : {2, 8, 40})
    EXPECT_NEAR(likeliest_tree(acceptance, {nodes, 9}).tokens_per_round,
                sequoia_optimal_tree(ranks, {nodes, 9}).tokens_per_round, 1e-9)
        << nodes;
}

TEST(LikeliestTree, EndsWhereNothingIsLeftToAdd) {
  SiblingAcceptance acceptance;
  acceptance.add({1, 0, 1}, 100, 50);
  acceptance.add({2, 1, 1}, 50, 0);
  const OptimalTree tree = likeliest_tree(acceptance, {2, 9});
  EXPECT_EQ(tree.shape.num_nodes(), 1);
  EXPECT_EQ(likeliest_tree(acceptance, {9, 1}).shape.num_nodes(), 0) << "the root is a level";
  EXPECT_EQ(likeliest_tree(acceptance, {50, 2}).shape.num_nodes(), 1)
      << "no second child was ever counted";
  EXPECT_THROW(likeliest_tree(acceptance, {0, 2}), ContractError);
  EXPECT_THROW(likeliest_tree_tokens(acceptance, {5000, 2}), ContractError);
}

}  // namespace
}  // namespace speclab::sim
