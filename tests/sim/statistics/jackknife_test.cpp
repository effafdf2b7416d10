#include "sim/statistics/jackknife.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/monte_carlo/acceptance_estimates.h"
#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

AcceptanceCounts counts(std::initializer_list<std::pair<int, int>> rounds) {
  AcceptanceCounts sum;
  for (const auto& [depth, accepted] : rounds) sum.add(depth, accepted);
  return sum;
}

TEST(Jackknife, IsTheTextbookIntervalForAMean) {
  // For a mean the jackknife's standard error is s / sqrt(n): values 1, 2, 3, 6 have mean 3 and s^2
  // = 14 / 3.
  const std::vector<double> without{11.0 / 3, 10.0 / 3, 3.0, 2.0};
  const Estimate estimate = jackknife_estimate(3.0, without, Scale::identity);
  const double reach = student_t_quantile(0.975, 3) * std::sqrt(14.0 / 3 / 4);
  EXPECT_NEAR(estimate.interval.value().low, 3.0 - reach, 1e-12);
  EXPECT_NEAR(estimate.interval.value().high, 3.0 + reach, 1e-12);
  EXPECT_EQ(estimate.n, 4U);
  EXPECT_NEAR(jackknife_covariance(
                  std::vector<std::vector<double>>{{11.0 / 3}, {10.0 / 3}, {3.0}, {2.0}})[0],
              14.0 / 3 / 4, 1e-12);
}

TEST(Jackknife, StaysOnItsScaleAndHasNoIntervalOnTheBorder) {
  const Estimate share = jackknife_estimate(0.9, std::vector{0.8, 0.99, 0.9}, Scale::logit);
  EXPECT_GT(share.interval.value().low, 0.0);
  EXPECT_LT(share.interval.value().high, 1.0);
  EXPECT_GT(jackknife_estimate(0.1, std::vector{0.2, 0.05}, Scale::logarithm).interval.value().low,
            0.0);
  EXPECT_FALSE(jackknife_estimate(1.0, std::vector{1.0, 1.0}, Scale::logit).interval);
  EXPECT_FALSE(jackknife_estimate(0.9, std::vector{1.0, 0.8}, Scale::logit).interval);
  EXPECT_FALSE(jackknife_estimate(0.9, std::vector{0.9}, Scale::logit).interval);
  EXPECT_THROW(jackknife_estimate(1.2, std::vector{0.9, 0.8}, Scale::logit), ContractError);
  EXPECT_THROW(jackknife_estimate(0.9, std::vector{0.9, std::nan("")}, Scale::identity),
               ContractError);
  EXPECT_THROW(jackknife_covariance(std::vector<std::vector<double>>{{1.0}}), ContractError);
}

TEST(AcceptanceCounts, CountsLevelsThatWereTested) {
  AcceptanceCounts sum = counts({{3, 1}, {3, 3}, {1, 0}, {0, 0}});
  EXPECT_EQ(sum.levels(), 3U);
  EXPECT_EQ(sum.tested_at(0), 3.0);
  EXPECT_EQ(sum.accepted_at(0), 2.0);
  EXPECT_EQ(sum.tested_at(1), 2.0);
  EXPECT_EQ(sum.accepted_at(1), 1.0);
  EXPECT_EQ(sum.tested(), 6.0);
  EXPECT_EQ(sum.accepted(), 4.0);
  sum.remove(counts({{3, 3}}));
  EXPECT_EQ(sum.tested_at(2), 0.0);
  EXPECT_THROW(sum.remove(counts({{3, 3}})), ContractError);
  EXPECT_THROW(sum.add(2, 3), ContractError);
  EXPECT_THROW(sum.add(2, -1), ContractError);
}

TEST(AcceptanceEstimates, AreTheRatiosOfTotals) {
  const std::vector<AcceptanceCounts> clusters{counts({{2, 2}, {2, 0}}), counts({{2, 1}}),
                                               counts({{2, 2}, {2, 1}})};
  EXPECT_DOUBLE_EQ(acceptance_rate_estimate(clusters).value, 6.0 / 9.0);
  const auto levels = acceptance_by_depth(clusters);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_DOUBLE_EQ(levels[0].conditional_acceptance.value, 0.8);
  EXPECT_DOUBLE_EQ(levels[1].conditional_acceptance.value, 0.5);
  EXPECT_DOUBLE_EQ(levels[1].survival.value, 0.4);
  EXPECT_EQ(levels[1].tested, 4.0);
}

TEST(AcceptanceEstimates, AnswerOnlyForLengthsThatTheRoundsSupport) {
  std::vector<AcceptanceCounts> clusters(3);
  for (auto& cluster : clusters)
    for (int i = 0; i < 20; ++i) cluster.add(3, i % 4);
  EXPECT_EQ(longest_supported_length(clusters), 3);  // the third level was tested 30 times
  EXPECT_DOUBLE_EQ(tokens_per_round_estimate(clusters, 3)->value, 1.0 + 0.75 + 0.5 + 0.25);
  EXPECT_DOUBLE_EQ(tokens_per_round_estimate(clusters, 1)->value, 1.75);
  EXPECT_DOUBLE_EQ(tokens_per_round_estimate(clusters, 0)->value, 1.0);
  EXPECT_FALSE(tokens_per_round_estimate(clusters, 4));
  clusters.pop_back();
  EXPECT_EQ(longest_supported_length(clusters), 2);
  EXPECT_THROW((void)tokens_per_round_estimate(clusters, -1), ContractError);
}

TEST(AcceptanceEstimates, RefuseWhatSaysNothing) {
  EXPECT_THROW(acceptance_rate_estimate({}), DataError);
  EXPECT_THROW(acceptance_rate_estimate(std::vector{counts({{0, 0}})}), DataError);
  EXPECT_THROW(counts_by_prompt({}), DataError);
  EXPECT_FALSE(acceptance_rate_estimate(std::vector{counts({{2, 2}}), counts({{1, 1}})})
                   .interval);  // nothing was rejected
  EXPECT_EQ(longest_supported_length(std::vector{counts({{1, 0}})}), 0);
}

TEST(CountsByPrompt, PutsGenerationsOfOnePromptTogether) {
  RoundRecord round;
  round.depth = round.drafted = 2;
  round.accepted = 1;
  const std::vector<LoggedGeneration> log{{"a", {round}}, {"b", {round, round}}, {"a", {round}}};
  const auto clusters = counts_by_prompt(log);
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_EQ(clusters[0].tested(), 4.0);
  EXPECT_EQ(clusters[1].tested(), 4.0);
  round.drafted = 5;
  EXPECT_THROW(counts_by_prompt(std::vector<LoggedGeneration>{{"a", {round}}}), DataError);
}

}  // namespace
}  // namespace speclab::sim
