#include "sim/analytic/acceptance_mixtures.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// E[rate^n] by adding up the density on a grid of its substitution x = t^3, which tames the poles
/// of a and b from 1/3 on at 0.
double beta_moment(double a, double b, int n) {
  constexpr int kSteps = 200000;
  double moment = 0.0, mass = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double t = (i + 0.5) / kSteps, x = t * t * t;
    const double density = std::pow(x, a - 1.0) * std::pow(1.0 - x, b - 1.0) * t * t;
    mass += density;
    moment += density * std::pow(x, n);
  }
  return moment / mass;
}

TEST(BetaMixture, SurvivalIsTheMeanPowerOfTheRate) {
  for (const auto& [a, b] : {std::pair{8.0, 2.0}, {1.5, 3.0}, {2.0, 1.5}}) {
    const auto survival = beta_mixture_survival(a, b, 4);
    for (int n = 1; n <= 4; ++n)
      EXPECT_NEAR(survival[static_cast<std::size_t>(n - 1)], beta_moment(a, b, n), 1e-7)
          << "the grid's own error";
  }
}

TEST(BetaMixture, EmitsAtLeastWhatItsMeanRateDoesAndAsMuchWhenSharp) {
  for_random_values([](RandomValues& values) {
    const double a = values.uniform(0.1, 10.0), b = values.uniform(0.1, 10.0);
    const int length = values.integer(0, 12);
    EXPECT_GE(tokens_per_round_beta_mixture(a, b, length),
              tokens_per_round(a / (a + b), length) - 1e-12)
        << "Jensen";
    EXPECT_NEAR(tokens_per_round_beta_mixture(a * 1e12, b * 1e12, length),
                tokens_per_round(a / (a + b), length), 1e-9);
  });
  EXPECT_NEAR(tokens_per_round_beta_mixture(1e-9, 1.0, 5), 1.0, 1e-8);
  EXPECT_NEAR(tokens_per_round_beta_mixture(1.0, 1e-12, 5), 6.0, 1e-8);
}

TwoStateAcceptance random_places(RandomValues& values) {
  return {
      {values.uniform(), values.uniform()}, values.uniform(0.05, 1.0), values.uniform(0.05, 1.0)};
}

/// The chain of (state, drafts accepted so far in the round) over single places, solved as a linear
/// system: tokens per round are places per round start.
double tokens_by_linear_system(const TwoStateAcceptance& places, int length) {
  const int width = length + 1, size = 2 * width;
  Eigen::MatrixXd moves = Eigen::MatrixXd::Zero(size, size);
  const double stay[2] = {1.0 - places.easy_to_hard, 1.0 - places.hard_to_easy};
  for (int state = 0; state < 2; ++state)
    for (int accepted = 0; accepted <= length; ++accepted)
      for (int next = 0; next < 2; ++next) {
        const double move = next == state ? stay[state] : 1.0 - stay[state];
        const double keep =
            accepted == length ? 0.0 : places.acceptance_rate[static_cast<std::size_t>(state)];
        if (keep > 0.0) moves(state * width + accepted, next * width + accepted + 1) += keep * move;
        moves(state * width + accepted, next * width) += (1.0 - keep) * move;
      }
  Eigen::MatrixXd system = moves.transpose() - Eigen::MatrixXd::Identity(size, size);
  system.row(size - 1).setOnes();
  const Eigen::VectorXd share = system.fullPivLu().solve(Eigen::VectorXd::Unit(size, size - 1));
  return 1.0 / (share(0) + share(width));
}

TEST(TwoState, AgreesWithTheChainOverSinglePlaces) {
  for_random_values([](RandomValues& values) {
    const TwoStateAcceptance places = random_places(values);
    const int length = values.integer(1, 8);
    EXPECT_NEAR(tokens_per_round_two_state(places, length), tokens_by_linear_system(places, length),
                1e-10);
  });
}

TEST(TwoState, IsTheChainWhereBothStatesAcceptAlike) {
  for_random_values([](RandomValues& values) {
    TwoStateAcceptance places = random_places(values);
    places.acceptance_rate[1] = places.acceptance_rate[0];
    const int length = values.integer(0, 8);
    EXPECT_NEAR(tokens_per_round_two_state(places, length),
                tokens_per_round(places.acceptance_rate[0], length), 1e-12);
    EXPECT_NEAR(two_state_rounds(places, length).easy_start, places.easy_share(), 1e-12)
        << "where rounds end tells nothing";
  });
}

TEST(TwoState, RoundsBeginInHardPlacesMoreOftenWhereStatesLast) {
  const TwoStateAcceptance places{{0.95, 0.2}, 0.05, 0.1};
  EXPECT_LT(two_state_rounds(places, 6).easy_start, places.easy_share());
  EXPECT_NEAR(two_state_rounds(places, 0).easy_start, places.easy_share(), 1e-14)
      << "rounds of one token begin everywhere";
}

TEST(TwoState, OfStatesThatAlternateTakesTheTextsOwnStart) {
  const TwoStateAcceptance alternating{{1.0, 1.0}, 1.0, 1.0};
  EXPECT_EQ(two_state_rounds(alternating, 1).easy_start, 0.5)
      << "rounds of two tokens begin where the first one did";
  EXPECT_EQ(tokens_per_round_two_state(alternating, 1), 2.0);
}

TEST(AcceptanceMixtures, RefuseArgumentsOutOfRange) {
  expect_refused([](double a) { tokens_per_round_beta_mixture(a, 1.0, 3); }, kNotPositive);
  expect_refused([](double b) { tokens_per_round_beta_mixture(1.0, b, 3); }, kNotPositive);
  EXPECT_THROW(beta_mixture_survival(1.0, 1.0, -1), ContractError);
  expect_refused([](double rate) { two_state_rounds({{rate, 0.5}, 0.1, 0.1}, 3); }, kNoProbability);
  expect_refused([](double rate) { two_state_rounds({{0.5, rate}, 0.1, 0.1}, 3); }, kNoProbability);
  expect_refused([](double move) { two_state_rounds({{0.5, 0.5}, move, 0.1}, 3); },
                 {-0.1, 0.0, 1.1, kNan});
  expect_refused([](double move) { two_state_rounds({{0.5, 0.5}, 0.1, move}, 3); },
                 {-0.1, 0.0, 1.1, kNan});
  EXPECT_THROW(two_state_rounds({}, -1), ContractError);
  EXPECT_THROW((TwoStateAcceptance{{0.5, 0.5}, 0.0, 0.0}.easy_share()), ContractError);
}

}  // namespace
}  // namespace speclab::sim
