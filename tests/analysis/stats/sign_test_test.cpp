#include "analysis/stats/significance.h"

#include <gtest/gtest.h>

#include <bit>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

TEST(SignTest, EqualsTheShareOfAllOutcomes) {
  for (int trials = 0; trials <= 16; ++trials) {
    const std::uint32_t outcomes = 1u << trials;
    for (int successes = 0; successes <= trials; ++successes) {
      std::uint32_t as_many = 0;
      for (std::uint32_t outcome = 0; outcome < outcomes; ++outcome)
        as_many += std::popcount(outcome) >= successes;
      EXPECT_DOUBLE_EQ(sign_test_p(successes, trials), static_cast<double>(as_many) / outcomes)
          << successes << " of " << trials;
    }
  }
}

/// The sizes that the criterion names: at 1 % over the suite 18 of 20 pairs serve 49 benchmarks, 21
/// of 24 pairs 70, and 11 pairs none of 49.
TEST(SignTest, ServesAsManyBenchmarksAsWasReckoned) {
  EXPECT_EQ(significant_successes(20, 0.01 / 49), 18);
  EXPECT_EQ(significant_successes(20, 0.01 / 50), 19);
  EXPECT_EQ(significant_successes(24, 0.01 / 70), 21);
  EXPECT_EQ(significant_successes(11, 0.01 / 49), 12) << "not even all";
}

TEST(SignTest, RefusesMoreSuccessesThanTrials) {
  EXPECT_THROW(sign_test_p(3, 2), ContractError);
  EXPECT_THROW(sign_test_p(-1, 2), ContractError);
}

}  // namespace
}  // namespace speclab::analysis
