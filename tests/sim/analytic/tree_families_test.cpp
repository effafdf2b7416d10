#include "sim/analytic/tree_families.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/analytic/static_tree.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// Chains side by side: the first level has `chains` nodes, every later one too.
TreeShape side_by_side(int chains, int depth) {
  std::vector<int> parents(static_cast<std::size_t>(chains), 0);
  for (int node = 1; static_cast<int>(parents.size()) < chains * depth; ++node)
    parents.push_back(node);
  return TreeShape::from_parents(parents);
}

TEST(TreeFamilies, AreTheSumsOverTheirNodes) {
  for_random_values([](RandomValues& values) {
    const int width = values.integer(1, 3), depth = values.integer(1, 4);
    const std::vector<double> ranks = values.ranks(3);
    const TreeShape full =
        TreeShape::levels(std::vector<int>(static_cast<std::size_t>(depth), width));
    EXPECT_NEAR(k_ary_tokens_per_round(ranks, width, depth), tree_tokens_per_round(full, ranks),
                1e-13);
    EXPECT_EQ(k_ary_nodes(width, depth), full.num_nodes() + 1);
    EXPECT_NEAR(independent_chains_tokens_per_round(ranks, width, depth),
                tree_tokens_per_round(side_by_side(width, depth), ranks), 1e-13);
    std::vector<int> expansion;
    for (int level = 0; level < depth; ++level) expansion.push_back(values.integer(1, 3));
    EXPECT_NEAR(expansion_tokens_per_round(ranks, expansion),
                tree_tokens_per_round(TreeShape::levels(expansion), ranks), 1e-13);
    EXPECT_EQ(expansion_nodes(expansion), TreeShape::levels(expansion).num_nodes() + 1);
  });
}

TEST(TreeFamilies, OfWidthOneAreTheChain) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int depth = values.integer(0, 20);
    const std::vector<double> ranks{rate};
    EXPECT_NEAR(k_ary_tokens_per_round(ranks, 1, depth), tokens_per_round(rate, depth), 1e-12);
    EXPECT_NEAR(independent_chains_tokens_per_round(ranks, 1, depth), tokens_per_round(rate, depth),
                1e-12);
    EXPECT_NEAR(
        expansion_tokens_per_round(ranks, std::vector<int>(static_cast<std::size_t>(depth), 1)),
        tokens_per_round(rate, depth), 1e-12);
    EXPECT_EQ(k_ary_nodes(1, depth), depth + 1);
  });
}

TEST(TreeFamilies, ReachTheirLimits) {
  const std::vector<double> ranks{0.57, 0.27, 0.08};
  EXPECT_NEAR(k_ary_tokens_per_round(ranks, 2, 500), 1.0 / 0.16, 1e-12) << "1 / (1 - A)";
  EXPECT_NEAR(independent_chains_tokens_per_round(ranks, 3, 500),
              independent_chains_limit(ranks, 3), 1e-12);
  EXPECT_EQ(k_ary_tokens_per_round(ranks, 3, 0), 1.0);
  EXPECT_EQ(independent_chains_tokens_per_round(ranks, 3, 0), 1.0);
  EXPECT_EQ(expansion_tokens_per_round(ranks, {}), 1.0);
  EXPECT_EQ(k_ary_tokens_per_round(std::vector<double>{0.0, 0.0}, 2, 5), 1.0);
  EXPECT_EQ(k_ary_tokens_per_round(std::vector<double>{0.5, 0.5}, 2, 5), 6.0)
      << "some child is accepted for certain";
}

TEST(SequentialDraft, CostsAForwardForEveryNodeAndOneMore) {
  EXPECT_EQ(sequential_draft_forwards(5), 6);
  EXPECT_EQ(sequential_draft_forwards(0), 1);
}

TEST(TreeFamilies, RefuseArgumentsOutOfRange) {
  const std::vector<double> ranks{0.5, 0.2};
  expect_refused([](const auto& broken) { k_ary_tokens_per_round(broken, 1, 2); },
                 kNoRankAcceptance);
  expect_refused([](const auto& broken) { independent_chains_tokens_per_round(broken, 1, 2); },
                 kNoRankAcceptance);
  expect_refused(
      [](const auto& broken) { expansion_tokens_per_round(broken, std::vector<int>{1}); },
      kNoRankAcceptance);
  for (const int width : {0, -1, 3}) {
    EXPECT_THROW(k_ary_tokens_per_round(ranks, width, 2), ContractError);
    EXPECT_THROW(independent_chains_tokens_per_round(ranks, width, 2), ContractError);
    EXPECT_THROW(independent_chains_limit(ranks, width), ContractError);
    EXPECT_THROW(expansion_tokens_per_round(ranks, std::vector<int>{1, width}), ContractError);
  }
  expect_refused([&](int depth) { k_ary_tokens_per_round(ranks, 1, depth); }, {-1});
  expect_refused([&](int depth) { independent_chains_tokens_per_round(ranks, 1, depth); }, {-1});
  expect_refused([](int depth) { k_ary_nodes(2, depth); }, {-1, 53});
  expect_refused([](int width) { k_ary_nodes(width, 0); }, {0, -1});
  expect_refused([](int width) { expansion_nodes(std::vector<int>{width}); }, {0, -1});
  EXPECT_THROW(independent_chains_limit(std::vector<double>{1.0}, 1), ContractError);
  EXPECT_THROW(sequential_draft_forwards(-1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
