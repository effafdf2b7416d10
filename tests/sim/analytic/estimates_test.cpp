#include "sim/analytic/estimates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/analytic/tokens_per_round.h"
#include "sim/core/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// Counts in their expected proportions give the rate back, whatever the length: what accepted /
/// drafted does not.
TEST(AcceptanceRateEstimate, OfExpectedCountsIsTheRate) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.05, 0.95);
    const int length = values.integer(1, 12);
    constexpr double kRounds = 1e12;
    const auto accepted = std::llround(kRounds * (tokens_per_round(rate, length) - 1.0));
    const auto rejections = std::llround(kRounds * (1.0 - std::pow(rate, length)));
    EXPECT_NEAR(acceptance_rate_estimate(accepted, rejections), rate, 1e-10);
  });
  EXPECT_EQ(acceptance_rate_estimate(0, 7), 0.0);
  EXPECT_EQ(acceptance_rate_estimate(7, 0), 1.0);
}

TEST(StandardErrors, VanishWhereNothingVariesAndFallWithTheRootOfTheCount) {
  EXPECT_EQ(acceptance_rate_standard_error(0.0, 10), 0.0);
  EXPECT_EQ(acceptance_rate_standard_error(1.0, 10), 0.0);
  EXPECT_EQ(tokens_per_round_standard_error(1.0, 5, 10), 0.0);
  EXPECT_EQ(tokens_per_round_standard_error(0.5, 0, 10), 0.0);
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 12), n = values.integer(1, 1000);
    EXPECT_NEAR(acceptance_rate_standard_error(rate, 100LL * n),
                acceptance_rate_standard_error(rate, n) / 10.0, 1e-14);
    EXPECT_NEAR(tokens_per_round_standard_error(rate, length, 100LL * n),
                tokens_per_round_standard_error(rate, length, n) / 10.0, 1e-13);
  });
  // A round of one draft emits 1 or 2 tokens: both errors are one.
  EXPECT_NEAR(tokens_per_round_standard_error(0.3, 1, 50), acceptance_rate_standard_error(0.3, 50),
              1e-15);
}

TEST(Estimates, RefuseArgumentsOutOfRange) {
  EXPECT_THROW(acceptance_rate_estimate(-1, 5), ContractError);
  EXPECT_THROW(acceptance_rate_estimate(5, -1), ContractError);
  EXPECT_THROW(acceptance_rate_estimate(0, 0), ContractError) << "nothing was tested";
  expect_refused([](double rate) { acceptance_rate_standard_error(rate, 10); }, kNoProbability);
  expect_refused([](int tested) { acceptance_rate_standard_error(0.5, tested); }, {0, -1});
  expect_refused([](double rate) { tokens_per_round_standard_error(rate, 3, 10); }, kNoProbability);
  EXPECT_THROW(tokens_per_round_standard_error(0.5, -1, 10), ContractError);
  expect_refused([](int rounds) { tokens_per_round_standard_error(0.5, 3, rounds); }, {0, -1});
}

}  // namespace
}  // namespace speclab::sim
