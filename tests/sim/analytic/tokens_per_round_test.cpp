#include "sim/analytic/tokens_per_round.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"
#include "tests/support/surface_speedup.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(TokensPerRound, EqualsOneWhenNothingIsDraftedOrAccepted) {
  EXPECT_EQ(tokens_per_round(0.7, 0), 1.0);
  EXPECT_EQ(tokens_per_round(0.0, 9), 1.0);
  EXPECT_EQ(tokens_per_round(1.0, 9), 10.0);
}

TEST(TokensPerRound, TendsToItsLimits) {
  EXPECT_NEAR(tokens_per_round(0.8, 1000), 5.0, 1e-12) << "1 / (1 - α)";
  EXPECT_NEAR(tokens_per_round(1e-12, 7), 1.0, 1e-11);
  EXPECT_NEAR(tokens_per_round(1.0 - 1e-12, 7), 8.0, 1e-10);
}

TEST(TokensPerRound, IsTheQuotientOfEquationOne) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.0, 0.95);
    const int length = values.integer(0, 40);
    EXPECT_NEAR(tokens_per_round(rate, length), (1.0 - std::pow(rate, length + 1)) / (1.0 - rate),
                1e-12);
  });
}

TEST(TokensPerRound, IsTheMeanOfItsLaw) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 20);
    const auto pmf = tokens_per_round_pmf(rate, length);
    double mean = 0.0;
    for (std::size_t t = 0; t < pmf.size(); ++t) mean += static_cast<double>(t + 1) * pmf[t];
    EXPECT_NEAR(mean, tokens_per_round(rate, length), 1e-12);
    EXPECT_NEAR(std::accumulate(pmf.begin(), pmf.end(), 0.0), 1.0, 1e-14);
  });
}

TEST(TokensPerRound, OfSurvivalAndOfConditionalAcceptanceAgree) {
  for_random_values([](RandomValues& values) {
    std::vector<double> conditional, survival;
    for (int i = values.integer(0, 8); i > 0; --i) {
      conditional.push_back(values.uniform());
      survival.push_back((survival.empty() ? 1.0 : survival.back()) * conditional.back());
    }
    EXPECT_NEAR(tokens_per_round_from_survival(survival),
                tokens_per_round_from_conditional(conditional), 1e-14);
    const std::vector<double> even(conditional.size(), 0.7);
    EXPECT_NEAR(tokens_per_round_from_conditional(even),
                tokens_per_round(0.7, static_cast<int>(even.size())), 1e-14);
  });
}

TEST(AcceptedFraction, LiesBelowTheRateAndTendsToIt) {
  EXPECT_EQ(accepted_fraction(0.8, 1), 0.8);
  EXPECT_EQ(accepted_fraction(0.0, 5), 0.0);
  EXPECT_EQ(accepted_fraction(1.0, 5), 1.0);
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(1, 30);
    EXPECT_LE(accepted_fraction(rate, length), rate + 1e-15);
  });
}

TEST(ExpectedRounds, CountsTheCutRound) {
  EXPECT_EQ(expected_rounds(std::vector<double>{1.0}, 128), 128.0);
  EXPECT_EQ(expected_rounds(std::vector<double>{0.0, 0.0, 0.0, 1.0}, 9), 3.0);
  EXPECT_EQ(expected_rounds(std::vector<double>{0.5, 0.5}, 0), 0.0);
  // R(n) = 1 + (n - 1)(1 - alpha) while one round could emit all of it.
  EXPECT_NEAR(expected_rounds(tokens_per_round_pmf(0.7, 5), 4), 1.0 + 3 * 0.3, 1e-14);
}

TEST(ExpectedRounds, UsesTheWholeLawNotItsMean) {
  const std::vector<double> bursty{0.75, 0.0, 0.0, 0.25};  // mean 1.75
  const std::vector<double> even{0.25, 0.75};              // mean 1.75
  EXPECT_GT(expected_rounds(bursty, 10), expected_rounds(even, 10));
}

/// The overshoot of a renewal process: less than one round more than N / E, and never fewer.
TEST(ExpectedRounds, LieLessThanOneRoundAboveTheNaiveCount) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 10), tokens = values.integer(1, 200);
    const double naive = tokens / tokens_per_round(rate, length);
    const double rounds = expected_rounds(tokens_per_round_pmf(rate, length), tokens);
    EXPECT_GE(rounds, naive - 1e-9);
    EXPECT_LT(rounds, naive + 1.0);
  });
}

TEST(TokensPerRound, RefusesArgumentsOutOfRange) {
  expect_refused([](double rate) { tokens_per_round(rate, 3); }, kNoProbability);
  expect_refused([](double rate) { tokens_per_round_pmf(rate, 3); }, kNoProbability);
  expect_refused([](double rate) { accepted_fraction(rate, 3); }, kNoProbability);
  for (const auto formula : {tokens_per_round, accepted_fraction})
    EXPECT_THROW(formula(0.5, -1), ContractError);
  EXPECT_THROW(tokens_per_round_pmf(0.5, -1), ContractError);
  EXPECT_THROW(accepted_fraction(0.5, 0), ContractError);
  expect_refused(
      [](double rate) { tokens_per_round_from_conditional(std::vector<double>{0.5, rate}); },
      kNoProbability);
  expect_refused([](double rate) { tokens_per_round_pmf(std::vector<double>{0.5, rate}); },
                 kNoProbability);
  expect_refused(
      [](double rate) { tokens_per_round_from_survival(std::vector<double>{0.5, rate}); },
      {0.6, -0.1, kNan});
  expect_refused([](const auto& pmf) { expected_rounds(pmf, 3); }, kNoLaw);
  EXPECT_THROW(expected_rounds(std::vector<double>{1.0}, -1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
