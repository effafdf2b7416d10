#include "analysis/stats/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

TEST(PairedDifference, IsThePairedTTestWhereDenominatorsAreOne) {
  const ClusterTotals base{.numerator = {1, 2, 3, 4}, .denominator = {1, 1, 1, 1}},
      head{.numerator = {2, 2, 5, 4}, .denominator = {1, 1, 1, 1}};
  const PairedDifference paired = paired_difference(base, head);
  // Differences 1, 0, 2, 0: mean 0.75, standard deviation sqrt(11 / 12), t = 1.5667 with 3 degrees,
  // p = 0.2152 (scipy.stats.ttest_rel).
  EXPECT_DOUBLE_EQ(paired.difference.value, 0.75);
  EXPECT_NEAR(paired.standard_error, std::sqrt(11.0 / 12.0 / 4.0), 1e-12);
  EXPECT_NEAR(paired.p_value, 0.2152, 5e-5);
  EXPECT_NEAR(paired.difference.interval.value().low, 0.75 - 3.182446 * paired.standard_error,
              1e-6);
}

TEST(PairedDifference, HasNoIntervalForOneClusterAndNoneOfLengthWhereAllDifferAlike) {
  const PairedDifference one = paired_difference({.numerator = {3}, .denominator = {4}},
                                                 {.numerator = {2}, .denominator = {4}});
  EXPECT_FALSE(one.difference.interval);
  EXPECT_EQ(one.p_value, 1);
  EXPECT_TRUE(std::isinf(one.smallest_found(0.01, 0.9)));
  const ClusterTotals same{.numerator = {1, 2}, .denominator = {2, 4}};
  EXPECT_EQ(paired_difference(same, same).p_value, 1);
  EXPECT_EQ(paired_difference(same, same).smallest_found(0.01, 0.9), 0);
  EXPECT_EQ(paired_difference(same, {.numerator = {2, 4}, .denominator = {2, 4}}).p_value, 0);
  EXPECT_THROW(paired_difference(same, {.numerator = {1}, .denominator = {1}}), ContractError);
}

/// Prompts of unlike difficulty and length, drafted twice: counts are binomial about the prompt's
/// rate.
struct TwoRuns {
  ClusterTotals base, head;
};

TwoRuns two_runs(double change, std::mt19937_64& random) {
  constexpr int kPrompts = 24;
  TwoRuns runs;
  for (int i = 0; i < kPrompts; ++i) {
    const double rate = std::uniform_real_distribution<double>(0.2, 0.8)(random);
    for (auto* totals : {&runs.base, &runs.head}) {
      const int tested = std::uniform_int_distribution<int>(60, 140)(random);
      totals->add(std::binomial_distribution<int>(
                      tested, rate + (totals == &runs.head ? change : 0.0))(random),
                  tested);
    }
  }
  return runs;
}

/// 4,000 pairs of runs a change: a rate of 5 % is within 1.2 points (3.5 standard deviations), and
/// 1 point more is left to the number of prompts being small.
TEST(PairedDifference, ErrsAndCoversAsStated) {
  std::mt19937_64 random(3);
  for (const double change : {0.0, -0.05}) {
    int covered = 0, alarms = 0;
    for (int i = 0; i < 4000; ++i) {
      const TwoRuns runs = two_runs(change, random);
      const PairedDifference paired = paired_difference(runs.base, runs.head);
      covered += paired.difference.interval.value().low <= change &&
                 change <= paired.difference.interval.value().high;
      alarms += paired.p_value <= 0.05;
    }
    EXPECT_NEAR(covered / 4000.0, 0.95, 0.022);
    if (change == 0) {
      EXPECT_NEAR(alarms / 4000.0, 0.05, 0.022);
    }
  }
}

/// The difference that runs say in the mean that they find is found as often as they say: 90 %
/// within 2.4 points (3.5 standard deviations of 2,000 sets), and 1.6 more for the statement's own
/// spread and the change of the binomial's variance.
TEST(PairedDifference, FindsWhatItSaysItFinds) {
  std::mt19937_64 random(4);
  double stated = 0;
  for (int i = 0; i < 500; ++i) {
    const TwoRuns runs = two_runs(0, random);
    stated += paired_difference(runs.base, runs.head).smallest_found(0.01, 0.9) / 500;
  }
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const TwoRuns runs = two_runs(-stated, random);
    found += paired_difference(runs.base, runs.head).p_value <= 0.01;
  }
  EXPECT_NEAR(found / 2000.0, 0.9, 0.04);
}

}  // namespace
}  // namespace speclab::analysis
