#include "experiments/drivers/acceptance/draft_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/law_sampling.h"
#include "sim/core/rules/rejection.h"

namespace speclab::experiments {
namespace {

using Laws = std::vector<Law>;  ///< of the target, after each node

Law dense(std::vector<float> values) { return Law::dense(std::move(values)); }

DraftSums sums_of(const Draft& draft, const Laws& target) {
  DraftSums sums;
  sums.add(draft, [&](TokenTree::Node node) -> const Law& { return target.at(static_cast<std::size_t>(node)); });
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
  const DraftSums sums = sums_of(chain({1}, {0.2F, 0.5F, 0.3F}), {dense({0.125F, 0.25F, 0.625F}), dense({1, 0, 0})});
  const analysis::DepthSums& first = sums.depths().front();
  EXPECT_EQ(first.known_ranks, analysis::kRanks);
  EXPECT_DOUBLE_EQ(first.in_top[0], 0.25);
  EXPECT_DOUBLE_EQ(first.in_top[1], 0.875);
  for (std::size_t rank = 2; rank < analysis::kRanks; ++rank) EXPECT_DOUBLE_EQ(first.in_top[rank], 1.0);
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

/// Drafts that are really drawn, and really tested: accepted and tested tokens by depth agree with the sums within their noise.
TEST(DraftSums, AgreeWithCoins) {
  const std::vector<float> q{0.5F, 0.3F, 0.2F};
  const Laws target{dense({0.2F, 0.6F, 0.2F}), dense({0.3F, 0.1F, 0.6F}), dense({0.1F, 0.8F, 0.1F}), dense({1, 0, 0})};
  const TargetLaws<float> laws = [&](TokenTree::Node node) -> const Law& { return target.at(static_cast<std::size_t>(node)); };
  PhiloxChance chance(5);
  DraftSums sums;
  std::vector<double> tested(3, 0.0), accepted(3, 0.0);
  std::vector<float> scratch;
  constexpr int kTrials = 40'000;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    const RoundKey key{trial, 1, 0};
    Draft draft;
    draft.reset(0, DrawKind::sampled);
    for (TokenTree::Node node = 0; node < 3; ++node) {
      draft.law_for(node) = dense(q);
      draft.add(node, sample(draft.law_at(node), draft_key(key, node, node + 1), chance, scratch));
    }
    Verdict verdict;
    verify_rejection(draft, laws, key, chance, scratch, verdict);
    sums.add(draft, laws);
    for (std::size_t i = 0; i < 3; ++i) {
      if (i > verdict.accepted.size()) continue;
      ++tested[i];
      accepted[i] += i < verdict.accepted.size() ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double noise = 5 * 0.5 * std::sqrt(kTrials);  // five standard deviations of a count of fair coins, the widest there is
    EXPECT_NEAR(sums.depths()[i].reached, tested[i], noise) << "depth " << i + 1;
    EXPECT_NEAR(sums.depths()[i].accepted, accepted[i], noise) << "depth " << i + 1;
  }
}

}  // namespace
}  // namespace speclab::experiments
