#include "sim/analytic/speedup.h"

#include <gtest/gtest.h>

#include "sim/analytic/oracle.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

TEST(PredictedSpeedup, IsOneWithoutADraftAndBelowOneWithAUselessOne) {
  EXPECT_EQ(predicted_speedup(0.9, 0, 0.3), 1.0);
  EXPECT_DOUBLE_EQ(predicted_speedup(0.0, 4, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(predicted_speedup(1.0, 4, 0.0), 5.0);
}

TEST(OptimalSpeculationLength, IsTheExhaustiveMaximumOnAGrid) {
  for (int a = 0; a < 20; ++a)
    for (int c = 1; c <= 20; ++c) {
      const double acceptance_rate = a / 20.0;
      const double cost_ratio = c / 40.0;
      int best = 0;
      for (int length = 1; length <= 60; ++length)
        if (predicted_speedup(acceptance_rate, length, cost_ratio) > predicted_speedup(acceptance_rate, best, cost_ratio) * (1 + 1e-14)) best = length;
      EXPECT_EQ(optimal_speculation_length(acceptance_rate, cost_ratio, 60), best) << acceptance_rate << " " << cost_ratio;
    }
}

TEST(OptimalSpeculationLength, StopsAtTheCapWhereMoreAlwaysPays) {
  EXPECT_EQ(optimal_speculation_length(1.0, 0.5, 12), 12);
  EXPECT_EQ(optimal_speculation_length(0.5, 0.0, 12), 12);
  EXPECT_EQ(optimal_speculation_length(0.0, 0.0, 12), 0);
}

TEST(Speedup, RefusesArgumentsOutOfRange) {
  EXPECT_THROW(predicted_speedup(1.5, 3, 0.1), ContractError);
  EXPECT_THROW(predicted_speedup(0.5, 3, -0.1), ContractError);
  EXPECT_THROW(predicted_speedup(0.5, 3, RelativeCosts{.verify_cost_ratio = 0.0}), ContractError);
  EXPECT_THROW(predicted_speedup(0.5, 3, RelativeCosts{.overhead_ratio = -1.0}), ContractError);
  EXPECT_THROW(optimal_speculation_length(0.5, 0.1, -1), ContractError);
  EXPECT_THROW(oracle_speedup(1.0, 0.0), ContractError);
}

}  // namespace
}  // namespace speclab::sim
