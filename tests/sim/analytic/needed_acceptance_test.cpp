
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(StepOfTheBestLength, IsWhereItChanges) {
  for_random_values([](RandomValues& values) {
    const int length = values.integer(1, 25);
    const double cost = values.uniform(0.002, 0.9);
    const double step = acceptance_rate_of_step(length, cost);
    ASSERT_LT(step, 1.0);
    EXPECT_GE(optimal_speculation_length(std::min(1.0, step + 1e-9), cost, 1000), length);
    EXPECT_LT(optimal_speculation_length(step - 1e-9, cost, 1000), length);
  });
  EXPECT_NEAR(acceptance_rate_of_step(1, 0.3), 0.3, 1e-15) << "the first step is break-even";
  EXPECT_LT(acceptance_rate_of_step(7, 0.0), 1e-40) << "without a cost every length pays";
}

TEST(NeededAcceptance, ReachesTheSpeedupAndNoLessDoes) {
  for_random_values([](RandomValues& values) {
    const double cost = values.uniform(0.005, 0.5), speedup = values.uniform(1.0, 3.0);
    const int cap = values.integer(8, 40);
    if (speedup > predicted_speedup(1.0, cap, cost)) return;
    const auto best = [&](double rate) {
      return predicted_speedup(rate, optimal_speculation_length(rate, cost, cap), cost);
    };
    const double rate = acceptance_rate_needed(speedup, cost, cap);
    EXPECT_NEAR(best(rate), speedup, 1e-12);
    if (rate <= 1e-6) return;
    EXPECT_LT(best(rate - 1e-6), speedup + 1e-12);
  });
  EXPECT_EQ(acceptance_rate_needed(1.0, 0.1, 8), 0.0);
}

TEST(AcceptanceOfTokens, InvertsTheTokensOfARound) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(1, 30);
    EXPECT_NEAR(
        tokens_per_round(
            acceptance_rate_from_tokens_per_round(tokens_per_round(rate, length), length), length),
        tokens_per_round(rate, length), 1e-12);
  });
  EXPECT_EQ(acceptance_rate_from_tokens_per_round(1.0, 5), 0.0);
  EXPECT_EQ(acceptance_rate_from_tokens_per_round(6.0, 5), 1.0);
  EXPECT_NEAR(acceptance_rate_from_tokens_per_round(1.4, 1), 0.4, 1e-15);
}

TEST(NeededAcceptance, RefusesArgumentsOutOfRange) {
  expect_refused([](int length) { acceptance_rate_of_step(length, 0.1); }, {0, -1});
  expect_refused([](double cost) { acceptance_rate_of_step(3, cost); },
                 {-0.1, 1.0, 2.0, kNan, kInfinity});
  expect_refused([](double speedup) { acceptance_rate_needed(speedup, 0.1, 5); },
                 {0.99, 4.01, kNan, kInfinity});
  expect_refused([](double cost) { acceptance_rate_needed(1.5, cost, 5); }, kNegative);
  EXPECT_THROW(acceptance_rate_needed(1.5, 0.1, -1), ContractError);
  expect_refused([](double tokens) { acceptance_rate_from_tokens_per_round(tokens, 3); },
                 {0.99, 4.01, kNan, kInfinity});
  expect_refused([](int length) { acceptance_rate_from_tokens_per_round(1.0, length); }, {0, -1});
}

}  // namespace
}  // namespace speclab::sim
