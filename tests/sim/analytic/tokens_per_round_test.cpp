#include "sim/analytic/tokens_per_round.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

TEST(TokensPerRound, EqualsOneWhenNothingIsDraftedOrAccepted) {
  EXPECT_EQ(tokens_per_round(0.7, 0), 1.0);
  EXPECT_EQ(tokens_per_round(0.0, 9), 1.0);
  EXPECT_EQ(tokens_per_round(1.0, 9), 10.0);
}

TEST(TokensPerRound, IsTheMeanOfItsLaw) {
  const auto pmf = tokens_per_round_pmf(0.8, 5);
  double mean = 0.0, square = 0.0;
  for (std::size_t t = 0; t < pmf.size(); ++t) {
    mean += static_cast<double>(t + 1) * pmf[t];
    square += static_cast<double>((t + 1) * (t + 1)) * pmf[t];
  }
  EXPECT_NEAR(mean, tokens_per_round(0.8, 5), 1e-14);
  EXPECT_NEAR(square - mean * mean, tokens_per_round_variance(0.8, 5), 1e-12);
  EXPECT_NEAR(std::accumulate(pmf.begin(), pmf.end(), 0.0), 1.0, 1e-15);
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

TEST(TokensPerRound, RefusesArgumentsOutOfRange) {
  EXPECT_THROW(tokens_per_round(-0.1, 3), ContractError);
  EXPECT_THROW(tokens_per_round(1.1, 3), ContractError);
  EXPECT_THROW(tokens_per_round(0.5, -1), ContractError);
  EXPECT_THROW(tokens_per_round_from_survival(std::vector<double>{0.5, 0.6}), ContractError);
  EXPECT_THROW(accepted_fraction(0.5, 0), ContractError);
  EXPECT_THROW(expected_rounds(std::vector<double>{0.5, 0.4}, 3), ContractError);
  EXPECT_THROW(expected_rounds(std::vector<double>{1.0}, -1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
