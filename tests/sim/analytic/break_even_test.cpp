
#include <gtest/gtest.h>

#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(SpeculationCanPay, WhereTheBestLengthIsNotZero) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), cost = values.uniform(0.01, 1.1);
    EXPECT_EQ(speculation_can_pay(rate, cost), optimal_speculation_length(rate, cost, 50) > 0);
  });
  EXPECT_FALSE(speculation_can_pay(0.3, 0.3)) << "at α = c nothing is gained";
  EXPECT_TRUE(speculation_can_pay(1e-9, 0.0));
  EXPECT_FALSE(speculation_can_pay(0.0, 0.0));
  EXPECT_FALSE(speculation_can_pay(1.0, 1.0));
}

TEST(SpeculationPays, WhereTheSpeedupExceedsOne) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), cost = values.uniform();
    const int length = values.integer(1, 30);
    EXPECT_EQ(speculation_pays(rate, length, cost), predicted_speedup(rate, length, cost) > 1.0);
    EXPECT_EQ(speculation_pays(rate, length, cost), accepted_fraction(rate, length) > cost);
  });
  EXPECT_FALSE(speculation_pays(0.9, 0, 0.1));
  EXPECT_FALSE(speculation_pays(0.25, 1, 0.25)) << "just break-even";
}

TEST(SpeedupLowerBound, IsTheSpeedupOfOneDraftedTokenAndBelowTheBest) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), cost = values.uniform(0.01, 1.0);
    const double bound = predicted_speedup_lower_bound(rate, cost);
    EXPECT_NEAR(bound, predicted_speedup(rate, 1, cost), 1e-14);
    if (!speculation_can_pay(rate, cost)) return;
    EXPECT_LE(bound,
              predicted_speedup(rate, optimal_speculation_length(rate, cost, 1000), cost) + 1e-13);
  });
  EXPECT_EQ(predicted_speedup_lower_bound(1.0, 0.0), 2.0);
}

TEST(NegligibleCostLimit, IsReachedFromBelowByLongDrafts) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.0, 0.95);
    const double limit = negligible_cost_speedup_limit(rate);
    EXPECT_LE(predicted_speedup(rate, 10, 0.0), limit + 1e-13);
    EXPECT_NEAR(predicted_speedup(rate, 2000, 0.0), limit, 1e-10);
  });
  EXPECT_EQ(negligible_cost_speedup_limit(0.0), 1.0);
}

TEST(BreakEven, RefusesArgumentsOutOfRange) {
  expect_refused([](double rate) { predicted_speedup_lower_bound(rate, 0.1); }, kNoProbability);
  expect_refused([](double cost) { predicted_speedup_lower_bound(0.5, cost); }, kNegative);
  expect_refused([](double rate) { speculation_can_pay(rate, 0.1); }, kNoProbability);
  expect_refused([](double cost) { speculation_can_pay(0.5, cost); }, kNegative);
  expect_refused([](double rate) { speculation_pays(rate, 2, 0.1); }, kNoProbability);
  expect_refused([](double cost) { speculation_pays(0.5, 2, cost); }, kNegative);
  EXPECT_THROW(speculation_pays(0.5, -1, 0.1), ContractError);
  expect_refused([](double rate) { negligible_cost_speedup_limit(rate); }, kNoProbability);
  EXPECT_THROW(negligible_cost_speedup_limit(1.0), ContractError);
}

}  // namespace
}  // namespace speclab::sim
