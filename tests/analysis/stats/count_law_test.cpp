#include "analysis/stats/significance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/statistics/distributions.h"

namespace speclab::analysis {
namespace {

TEST(CountLaw, OfFairCoinsIsTheBinomial) {
  CountLaw law;
  for (int i = 0; i < 40; ++i) law.add(std::vector{0.5, 0.5});
  EXPECT_NEAR(law.mean(), 20.0, 1e-12);
  for (const int count : {0, 7, 19})
    EXPECT_NEAR(law.two_sided_p(count), 2.0 * sim::fair_coin_cdf(count, 40), 1e-14);
  EXPECT_EQ(law.two_sided_p(20), 1.0);
  EXPECT_NEAR(law.two_sided_p(33), law.two_sided_p(7), 1e-14);
}

/// Two unequal coins: 0, 1, 2 with 0.9 * 0.4, 0.9 * 0.6 + 0.1 * 0.4, 0.1 * 0.6.
TEST(CountLaw, OfUnequalCoinsIsPoissonBinomial) {
  CountLaw law;
  law.add(std::vector{0.9, 0.1});
  law.add(std::vector{0.4, 0.6});
  EXPECT_NEAR(law.mean(), 0.7, 1e-15);
  EXPECT_NEAR(law.two_sided_p(2), 2 * 0.06, 1e-15);
  EXPECT_NEAR(law.two_sided_p(0), 2 * 0.36, 1e-15);
}

TEST(CountLaw, OfCertainCountsAllowsOneSum) {
  CountLaw law;
  law.add(std::vector{0.0, 0.0, 1.0});
  law.add(std::vector{1.0});
  EXPECT_EQ(law.two_sided_p(2), 1.0);
  EXPECT_EQ(law.two_sided_p(1), 0.0);
  const Interval range = law.central_range(0.95);
  EXPECT_EQ(range.low, 2.0);
  EXPECT_EQ(range.high, 2.0);
}

TEST(CountLaw, RangeLeavesOutAtMostItsTails) {
  CountLaw law;
  for (int i = 0; i < 100; ++i) law.add(std::vector{0.7, 0.2, 0.1});
  const Interval range = law.central_range(0.95);
  EXPECT_NEAR(0.5 * (range.low + range.high), 40.0, 1.5);
  EXPECT_NEAR(range.high - range.low, 2 * 1.96 * std::sqrt(100 * (0.2 + 0.4 - 0.16)), 2.5);
}

TEST(ChiSquared, NoncentralityCatchesWhatTheReliabilityTableSays) {
  // COR-3's table: 100,000 samples over 8 and 64 cells, 200 tests at 1e-6 together, misses 1e-6.
  for (const auto& [cells, shift] : {std::pair{8, 0.018}, {16, 0.020}, {32, 0.021}, {64, 0.023}})
    EXPECT_NEAR(std::sqrt(sim::chi_squared_noncentrality(cells - 1, 1e-6 / 200, 1e-6) / (4 * 1e5)),
                shift, 6e-4)
        << cells;
  EXPECT_NEAR(sim::chi_squared_tail(16.266, 3), 0.001, 1e-5);
}

}  // namespace
}  // namespace speclab::analysis
