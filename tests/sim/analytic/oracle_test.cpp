
#include <gtest/gtest.h>

#include <numbers>

#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(OracleSpeedup, IsItsTokensWithoutCostAndOneWithoutAcceptance) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.0, 0.999);
    EXPECT_NEAR(oracle_speedup(rate, 0.0), oracle_tokens_per_round(rate), 1e-9);
    // Its round costs 1 + c times the tokens it drafts, one fewer than it emits.
    const double cost = values.uniform();
    EXPECT_NEAR(
        oracle_speedup(rate, cost),
        oracle_tokens_per_round(rate) / (1.0 + cost * (oracle_tokens_per_round(rate) - 1.0)), 1e-9);
  });
  EXPECT_EQ(oracle_speedup(0.0, 0.7), 1.0);
  EXPECT_EQ(oracle_speedup(1.0, 0.25), 4.0);
}

TEST(OracleGain, LiesBetweenOneAndItsSupremum) {
  for_random_values([](RandomValues& values) {
    const double gain = oracle_gain(values.uniform(), values.uniform(0.001, 1.0));
    EXPECT_GE(gain, 1.0 - 1e-13);
    EXPECT_LE(gain, oracle_gain_supremum() + 1e-12);
  });
}

TEST(OracleGain, ApproachesItsSupremumAlongItsCost) {
  double previous = 0.0;
  for (const double rate : {0.9, 0.99, 0.999, 0.9999, 0.99999}) {
    const double gain = oracle_gain(rate, (1.0 - rate) / (std::numbers::e - 2.0));
    EXPECT_GT(gain, previous);
    previous = gain;
  }
  EXPECT_NEAR(previous, oracle_gain_supremum(), 1e-4);
}

TEST(OracleGain, IsOneWhereEverLongerDraftsPayOrNothingIsAccepted) {
  EXPECT_EQ(oracle_gain(0.7, 0.0), 1.0);
  EXPECT_EQ(oracle_gain(1.0, 0.3), 1.0);
  EXPECT_EQ(oracle_gain(0.0, 0.5), 1.0);
  EXPECT_EQ(oracle_gain(1.0, 1.0), 1.0);
}

TEST(Oracle, RefusesArgumentsOutOfRange) {
  for (const auto formula : {oracle_speedup, oracle_gain}) {
    expect_refused([&](double rate) { formula(rate, 0.1); }, kNoProbability);
    expect_refused([&](double cost) { formula(0.5, cost); }, kNegative);
    EXPECT_THROW(formula(1.0, 0.0), ContractError) << "no bound";
  }
  expect_refused([](double rate) { oracle_tokens_per_round(rate); }, kNoProbability);
  EXPECT_THROW(oracle_tokens_per_round(1.0), ContractError);
}

}  // namespace
}  // namespace speclab::sim
