#include "analysis/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/stats/intervals.h"
#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Walltimes of plain and speculative decoding by prompt, both log-normal and dependent, as
/// measured ones are.
ClusterTotals made_up_prompts(std::size_t num_prompts, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, 0.4);
  ClusterTotals totals;
  for (std::size_t i = 0; i < num_prompts; ++i) {
    const double plain = std::exp(normal(random));
    totals.add(plain, plain / std::exp(normal(random)));
  }
  return totals;
}

/// E[plain] / E[plain / s] for the law above: exp(s^2/2) / exp(s^2).
const double kTrueRatio = std::exp(-0.08);

/// Drafts accepted of those tested, 100 a prompt, whose rate is a beta(3, 3) draw: 0.5 in the mean.
ClusterTotals made_up_acceptance(std::size_t num_prompts, std::mt19937_64& random) {
  constexpr int kTested = 100;
  std::gamma_distribution<double> gamma(3, 1);
  ClusterTotals totals;
  for (std::size_t i = 0; i < num_prompts; ++i) {
    const double accepting = gamma(random), rejecting = gamma(random);
    totals.add(
        std::binomial_distribution<int>(kTested, accepting / (accepting + rejecting))(random),
        kTested);
  }
  return totals;
}

using MadeUp = ClusterTotals (*)(std::size_t, std::mt19937_64&);

double coverage(std::size_t num_prompts, int num_sets, MadeUp made_up = made_up_prompts,
                double truth = kTrueRatio) {
  std::mt19937_64 random(num_prompts);
  Bootstrap bootstrap(1);
  int covered = 0;
  for (int set = 0; set < num_sets; ++set) {
    const auto interval = bootstrap.ratio(made_up(num_prompts, random)).interval.value();
    if (interval.low <= truth && truth <= interval.high) ++covered;
  }
  return static_cast<double>(covered) / num_sets;
}

TEST(Bootstrap, ValueIsTheRatioOfTotals) {
  Bootstrap bootstrap(1);
  const Estimate estimate = bootstrap.ratio({.numerator = {1, 2, 9}, .denominator = {2, 2, 2}});
  EXPECT_DOUBLE_EQ(estimate.value, 2.0);
  EXPECT_EQ(estimate.n, 3U);
}

TEST(Bootstrap, HasNoIntervalForOneClusterAndNoneOfLengthForEqualOnes) {
  Bootstrap bootstrap(1);
  EXPECT_FALSE(bootstrap.ratio({.numerator = {3}, .denominator = {2}}).interval);
  const Estimate equal = bootstrap.ratio(
      {.numerator = {3, 6, 3, 3, 3, 3, 3, 3}, .denominator = {1, 2, 1, 1, 1, 1, 1, 1}});
  EXPECT_DOUBLE_EQ(equal.interval.value().low, 3);
  EXPECT_DOUBLE_EQ(equal.interval.value().high, 3);
}

TEST(Bootstrap, UsesStudentsTOnFewClusters) {
  Bootstrap bootstrap(1);
  const Estimate estimate = bootstrap.ratio({.numerator = {1, 2}, .denominator = {1, 1}});
  // By hand: influences -/+ 1/6, standard error sqrt(2 * (1/36 + 1/36)) = 1/3, t quantile of one
  // degree 12.7062.
  EXPECT_NEAR(estimate.interval.value().high, 1.5 * std::exp(12.7062 / 3), 0.02);
  EXPECT_NEAR(estimate.interval.value().low, 1.5 * std::exp(-12.7062 / 3), 1e-4);
}

/// The end of the resampled intervals is no step: at the largest number of clusters both kinds are
/// nearly one.
TEST(Bootstrap, UsesStudentsTOnVeryManyClusters) {
  std::mt19937_64 random(5);
  ClusterTotals totals = made_up_prompts(Bootstrap::kMostClusters, random);
  const Interval resampled = Bootstrap(1).ratio(totals).interval.value();
  totals.add(1.0, 1.0);
  const Estimate estimate = Bootstrap(1).ratio(totals);
  const Interval interval = estimate.interval.value();
  EXPECT_NEAR(interval.low * interval.high, estimate.value * estimate.value, 1e-12)
      << "symmetric on the logarithm";
  EXPECT_NEAR(interval.low, resampled.low, 0.1 * (interval.high - interval.low));
  EXPECT_NEAR(interval.high, resampled.high, 0.1 * (interval.high - interval.low));
}

TEST(Bootstrap, GivesTheSameIntervalAgainAndAnotherUnderAnotherSeed) {
  std::mt19937_64 random(3);
  const ClusterTotals totals = made_up_prompts(16, random);
  const auto first = Bootstrap(1).ratio(totals).interval.value();
  const auto again = Bootstrap(1).ratio(totals).interval.value();
  const auto other = Bootstrap(2).ratio(totals).interval.value();
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_NE(first.low, other.low);
  EXPECT_NEAR(first.low, other.low, 0.1 * first.low);
}

TEST(Bootstrap, DoesNotDependOnTheUnit) {
  std::mt19937_64 random(4);
  ClusterTotals totals = made_up_prompts(17, random);
  const auto seconds = Bootstrap(1).ratio(totals).interval.value();
  for (auto& value : totals.numerator) value *= 1e9;
  const auto nanoseconds = Bootstrap(1).ratio(totals).interval.value();
  EXPECT_NEAR(nanoseconds.low / seconds.low, 1e9, 1);
  EXPECT_NEAR(nanoseconds.high / seconds.high, 1e9, 1);
}

TEST(Bootstrap, ProductsMultiply) {
  std::mt19937_64 random(5);
  const std::vector<ClusterTotals> factors = {made_up_prompts(10, random),
                                              made_up_prompts(10, random)};
  Bootstrap bootstrap(1);
  const Estimate product = bootstrap.product_of_ratios(factors);
  EXPECT_NEAR(product.value, bootstrap.ratio(factors[0]).value * bootstrap.ratio(factors[1]).value,
              1e-12);
  EXPECT_LT(product.interval.value().low, product.value);
  EXPECT_GT(product.interval.value().high, product.value);
}

TEST(Bootstrap, HasFiniteEndsWhenResamplesLackTheEvent) {
  Bootstrap bootstrap(1);
  // One prompt in twenty has accepted anything: 36 % of the resamples have nothing to say about the
  // rate.
  ClusterTotals totals;
  for (int i = 0; i < 20; ++i) totals.add(i == 0 ? 1 : 0, 9);
  const Estimate rare = bootstrap.ratio(totals);
  EXPECT_TRUE(std::isfinite(rare.interval.value().high));
  EXPECT_GT(rare.interval.value().high, rare.value);
  EXPECT_LT(rare.interval.value().low, rare.value);
}

TEST(Bootstrap, RefusesTotalsThatAreNotPositive) {
  Bootstrap bootstrap(1);
  EXPECT_THROW(bootstrap.ratio({.numerator = {0, 0}, .denominator = {1, 1}}), ContractError);
  EXPECT_THROW(bootstrap.ratio({.numerator = {1, 1}, .denominator = {1}}), ContractError);
  EXPECT_THROW(bootstrap.ratio({}), ContractError);
}

// 600 sets a size. Expected from references in numpy: Student's t .94 at 4, .92 at 7 and 8, .93 at
// 14 prompts (4,000 sets), bootstrap-t .94 at 56 (1,500); percentile intervals .842, .866, .911 at
// 7, 8, 14. A true coverage of .92 falls below .885 with odds 0.1 %, one of .93 below .90 and one
// of .94 below .91 with odds 0.2 %; percentile intervals at 7 and 8 prompts fail with odds above 90
// %.
TEST(CoverageOfIntervals, IsNearNominal) {
  EXPECT_GE(coverage(4, 2000), 0.90);
  EXPECT_GE(coverage(7, 600), 0.885);
  EXPECT_GE(coverage(8, 600), 0.885);
  EXPECT_GE(coverage(14, 600), 0.90);
  EXPECT_GE(coverage(20, 600), 0.90);
  EXPECT_GE(coverage(56, 600), 0.91);
}

/// Over 4,000 sets it is 94.6 and 95.1 % at 56 prompts, the number of the project's set, and 93.9
/// and 95.1 % at 28: of 1,000 sets from a law that covers 94.6 % fewer than 93 % cover with odds
/// of 1.5 %, one that covers 91 % passes with odds of 1.5 %.
TEST(CoverageOfIntervals, IsNinetyThreeToNinetySevenPerCentOfAThousandDataSets) {
  for (const double covered : {coverage(56, 1000), coverage(56, 1000, made_up_acceptance, 0.5),
                               coverage(28, 1000), coverage(28, 1000, made_up_acceptance, 0.5)}) {
    EXPECT_GE(covered, 0.93);
    EXPECT_LE(covered, 0.97);
  }
}

TEST(Distributions, AgreeWithTables) {
  EXPECT_NEAR(sim::student_t_quantile(0.975, 9), 2.2621571627982, 1e-12);
  EXPECT_NEAR(sim::fair_coin_cdf(0, 6), 1.0 / 64, 1e-15);
  EXPECT_NEAR(sim::fair_coin_cdf(2, 5), 0.5, 1e-15);
}

TEST(Median, IsTheMiddleWithRanksFromTheBinomialLaw) {
  EXPECT_EQ(median({3, 1, 2}).value, 2);
  EXPECT_EQ(median({4, 1, 3, 2}).value, 2.5);
  EXPECT_FALSE(median({1, 2, 3, 4, 5}).interval);
  const Estimate six = median({6, 5, 4, 3, 2, 1});
  EXPECT_EQ(six.interval.value().low, 1);
  EXPECT_EQ(six.interval.value().high, 6);
  std::vector<double> twenty;
  for (int i = 1; i <= 20; ++i) twenty.push_back(i);
  // The textbook's ranks for n = 20 are 6 and 15.
  EXPECT_EQ(median(twenty).interval.value().low, 6);
  EXPECT_EQ(median(twenty).interval.value().high, 15);
  EXPECT_THROW(median({}), ContractError);
}

}  // namespace
}  // namespace speclab::analysis
