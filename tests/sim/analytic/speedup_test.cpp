#include "sim/analytic/speedup.h"

#include <gtest/gtest.h>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(PredictedSpeedup, IsOneWithoutADraftAndBelowOneWithAUselessOne) {
  EXPECT_EQ(predicted_speedup(0.9, 0, 0.3), 1.0);
  EXPECT_DOUBLE_EQ(predicted_speedup(0.0, 4, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(predicted_speedup(1.0, 4, 0.0), 5.0);
  EXPECT_DOUBLE_EQ(predicted_speedup(1.0, 4, 1.0), 1.0) << "a draft as dear as the target";
  EXPECT_NEAR(predicted_speedup(0.9, 100000, 0.01), 0.0, 0.02) << "too long a draft";
}

TEST(PredictedSpeedup, WithoutACostIsTheTokensOfARoundAndFallsWithEveryCost) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(1, 20);
    EXPECT_EQ(predicted_speedup(rate, length, 0.0), tokens_per_round(rate, length));
    const RelativeCosts costs{values.uniform(), values.uniform(1.0, 3.0), values.uniform()};
    const double base = predicted_speedup(rate, length, costs);
    EXPECT_LT(predicted_speedup(rate, length,
                                RelativeCosts{costs.cost_ratio + 0.1, costs.verify_cost_ratio,
                                              costs.overhead_ratio}),
              base);
    EXPECT_LT(predicted_speedup(rate, length,
                                RelativeCosts{costs.cost_ratio, costs.verify_cost_ratio + 0.1,
                                              costs.overhead_ratio}),
              base);
    EXPECT_LT(predicted_speedup(rate, length,
                                RelativeCosts{costs.cost_ratio, costs.verify_cost_ratio,
                                              costs.overhead_ratio + 0.1}),
              base);
    EXPECT_EQ(predicted_speedup(rate, length, RelativeCosts{.cost_ratio = costs.cost_ratio}),
              predicted_speedup(rate, length, costs.cost_ratio));
  });
}

/// The smallest maximiser over all lengths up to the cap; equal to rounding counts as a tie.
int exhaustive_best(double rate, double cost, int cap) {
  int best = 0;
  for (int length = 1; length <= cap; ++length)
    if (predicted_speedup(rate, length, cost) > predicted_speedup(rate, best, cost) * (1 + 1e-14))
      best = length;
  return best;
}

TEST(OptimalSpeculationLength, IsTheExhaustiveMaximumOnAGrid) {
  for (int a = 0; a < 20; ++a)
    for (int c = 1; c <= 20; ++c)
      EXPECT_EQ(optimal_speculation_length(a / 20.0, c / 40.0, 60),
                exhaustive_best(a / 20.0, c / 40.0, 60))
          << a / 20.0 << " " << c / 40.0;
}

TEST(OptimalSpeculationLength, IsTheExhaustiveMaximumOfRandomRatesAndCosts) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), cost = values.uniform(0.005, 1.2);
    EXPECT_EQ(optimal_speculation_length(rate, cost, 300), exhaustive_best(rate, cost, 300))
        << rate << " " << cost;
  });
}

TEST(OptimalSpeculationLength, TakesTheShorterOnATieAndTheCapWhereMoreAlwaysPays) {
  EXPECT_EQ(optimal_speculation_length(0.5, 0.5, 12), 0)
      << "α = c: a draft of one neither gains nor loses";
  EXPECT_EQ(optimal_speculation_length(1.0, 0.5, 12), 12);
  EXPECT_EQ(optimal_speculation_length(0.5, 0.0, 12), 12);
  EXPECT_EQ(optimal_speculation_length(0.0, 0.0, 12), 0);
  EXPECT_EQ(optimal_speculation_length(0.9, 0.1, 0), 0);
}

TEST(Speedup, RefusesArgumentsOutOfRange) {
  expect_refused([](double rate) { predicted_speedup(rate, 3, 0.1); }, kNoProbability);
  expect_refused([](double cost) { predicted_speedup(0.5, 3, cost); }, kNegative);
  expect_refused(
      [](double verify) { predicted_speedup(0.5, 3, RelativeCosts{.verify_cost_ratio = verify}); },
      kNotPositive);
  expect_refused(
      [](double overhead) { predicted_speedup(0.5, 3, RelativeCosts{.overhead_ratio = overhead}); },
      kNegative);
  EXPECT_THROW(predicted_speedup(0.5, -1, 0.1), ContractError);
  expect_refused([](double rate) { optimal_speculation_length(rate, 0.1, 3); }, kNoProbability);
  expect_refused([](double cost) { optimal_speculation_length(0.5, cost, 3); }, kNegative);
  EXPECT_THROW(optimal_speculation_length(0.5, 0.1, -1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
