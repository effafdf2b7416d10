#include "experiments/drivers/kinds/draft_sums.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace speclab::experiments {
namespace {

using Laws = std::vector<Law>;  ///< of the target, after each node

Law dense(std::vector<float> values) { return Law::dense(std::move(values)); }

DraftSums sums_of(const Draft& draft, const Laws& target) {
  DraftSums sums;
  sums.add(draft, [&](TokenTree::Node node) -> const Law& {
    return target.at(static_cast<std::size_t>(node));
  });
  return sums;
}

/// A chain of these tokens, each drawn from q.
Draft chain(const std::vector<Token>& tokens, const std::vector<float>& q) {
  Draft draft;
  draft.reset(0, DrawKind::sampled);
  TokenTree::Node node = 0;
  for (const Token token : tokens) {
    draft.law_for(node) = dense(q);
    node = draft.add(node, token);
  }
  return draft;
}

TEST(DraftSums, WeighADepthByTheChanceThatItIsReached) {
  const std::vector<float> q{0.5F, 0.25F, 0.25F};
  const Laws target{dense({0.25F, 0.5F, 0.25F}), dense({0.125F, 0.125F, 0.75F}), dense({1, 0, 0})};
  const DraftSums sums = sums_of(chain({0, 2}, q), target);
  ASSERT_EQ(sums.depths().size(), 2U);
  EXPECT_DOUBLE_EQ(sums.depths()[0].reached, 1.0);
  EXPECT_DOUBLE_EQ(sums.depths()[0].accepted, 0.25 + 0.25 + 0.25);
  EXPECT_DOUBLE_EQ(sums.depths()[1].reached, 0.25 / 0.5);
  EXPECT_DOUBLE_EQ(sums.depths()[1].accepted, 0.5 * (0.125 + 0.125 + 0.25));
}

TEST(DraftSums, RankTheTargetsMassByTheDraftersLaw) {
  const DraftSums sums =
      sums_of(chain({1}, {0.2F, 0.5F, 0.3F}), {dense({0.125F, 0.25F, 0.625F}), dense({1, 0, 0})});
  const analysis::DepthSums& first = sums.depths().front();
  EXPECT_EQ(first.known_ranks, analysis::kRanks);
  EXPECT_DOUBLE_EQ(first.in_top[0], 0.25);
  EXPECT_DOUBLE_EQ(first.in_top[1], 0.875);
  for (std::size_t rank = 2; rank < analysis::kRanks; ++rank)
    EXPECT_DOUBLE_EQ(first.in_top[rank], 1.0);
}

/// Children of the root that were chosen in this order; a chain of one behind the first.
Draft chosen(const std::vector<Token>& siblings, Token behind_first) {
  Draft draft;
  draft.reset(0, DrawKind::arg_max);
  draft.law_for(0).assign_point_mass(9, siblings.front());
  for (const Token token : siblings) draft.add(0, token);
  draft.law_for(1).assign_point_mass(9, behind_first);
  draft.add(1, behind_first);
  return draft;
}

TEST(DraftSums, TakeTheOrderOfChosenSiblingsAsTheRanking) {
  const Law best = Law::point_mass(9, 6);
  const DraftSums missed = sums_of(chosen({4, 6, 8}, 5), {best, best, best, best, best});
  ASSERT_EQ(missed.depths().size(), 1U) << "behind a first child that is wrong nothing is reached";
  EXPECT_EQ(missed.depths()[0].accepted, 0.0);
  EXPECT_EQ(missed.depths()[0].known_ranks, 3U);
  EXPECT_EQ(missed.depths()[0].in_top[0], 0.0);
  EXPECT_EQ(missed.depths()[0].in_top[1], 1.0);
  const DraftSums hit = sums_of(chosen({6, 4}, 6), {best, best, best, best});
  ASSERT_EQ(hit.depths().size(), 2U);
  EXPECT_EQ(hit.depths()[1].accepted, 1.0);
}

TEST(DraftSums, CountPlacesWithoutADraft) {
  Draft nothing;
  nothing.reset(0, DrawKind::sampled);
  const DraftSums sums = sums_of(nothing, {dense({1, 0})});
  EXPECT_EQ(sums.positions(), 1);
  EXPECT_TRUE(sums.depths().empty());
}

/// Over all chains, each with the chance that it is drawn: the mean of the sums is what the ratio
/// test does.
TEST(DraftSums, AreRightInTheMeanOverAllDrafts) {
  const std::vector<float> q{0.5F, 0.3F, 0.2F};
  const std::vector<std::vector<float>> p{
      {0.2F, 0.6F, 0.2F}, {0.3F, 0.1F, 0.6F}, {0.1F, 0.8F, 0.1F}};
  const Laws target{dense(p[0]), dense(p[1]), dense(p[2]), dense({1, 0, 0})};
  std::vector<double> reached(3, 0.0), accepted(3, 0.0);
  for (Token chain_number = 0; chain_number < 27; ++chain_number) {
    const std::vector<Token> tokens{chain_number / 9, chain_number / 3 % 3, chain_number % 3};
    double chance = 1.0;
    for (const Token token : tokens)
      chance *= static_cast<double>(q[static_cast<std::size_t>(token)]);
    const DraftSums sums = sums_of(chain(tokens, q), target);
    for (std::size_t i = 0; i < sums.depths().size(); ++i) {
      reached[i] += chance * sums.depths()[i].reached;
      accepted[i] += chance * sums.depths()[i].accepted;
    }
  }
  double survival = 1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(reached[i], survival, 1e-6) << "depth " << i + 1;
    double kept = 0.0;
    for (std::size_t x = 0; x < 3; ++x) kept += static_cast<double>(std::min(p[i][x], q[x]));
    survival *= kept;
    EXPECT_NEAR(accepted[i], survival, 1e-6) << "depth " << i + 1;
  }
}

}  // namespace
}  // namespace speclab::experiments
