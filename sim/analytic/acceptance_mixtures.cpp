#include "sim/analytic/acceptance_mixtures.h"

#include <Eigen/Dense>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

void expect_places(const TwoStateAcceptance& places) {
  expect_probabilities(places.acceptance_rate, "acceptance_rate");
  expect_probability(places.easy_to_hard, "easy_to_hard");
  expect_probability(places.hard_to_easy, "hard_to_easy");
  SPECLAB_EXPECT(places.easy_to_hard > 0.0 && places.hard_to_easy > 0.0,
                 "easy_to_hard or hard_to_easy is 0; allowed: above 0, or a state is never left");
}

Eigen::Matrix2d transition_matrix(const TwoStateAcceptance& places) {
  return Eigen::Matrix2d{{1.0 - places.easy_to_hard, places.easy_to_hard},
                         {places.hard_to_easy, 1.0 - places.hard_to_easy}};
}

/// Row s: the law of the first place of the next round, after a round that began in s.
Eigen::Matrix2d next_start(const TwoStateAcceptance& places, int speculation_length) {
  const Eigen::Matrix2d move = transition_matrix(places);
  const Eigen::Vector2d rate(places.acceptance_rate[0], places.acceptance_rate[1]);
  const Eigen::Matrix2d accept = rate.asDiagonal(),
                        reject = (Eigen::Vector2d::Ones() - rate).asDiagonal();
  Eigen::Matrix2d here = Eigen::Matrix2d::Identity(), next = Eigen::Matrix2d::Zero();
  for (int i = 0; i < speculation_length; ++i) {
    next += here * reject * move;
    here *= accept * move;
  }
  return next + here * move;
}

}  // namespace

std::vector<double> beta_mixture_survival(double beta_a, double beta_b, int speculation_length) {
  expect_positive(beta_a, "beta_a");
  expect_positive(beta_b, "beta_b");
  expect_at_least(0, speculation_length, "speculation_length");
  std::vector<double> survival;
  double reached = 1.0;
  for (int j = 0; j < speculation_length; ++j)
    survival.push_back(reached *= (beta_a + j) / (beta_a + beta_b + j));
  return survival;
}

double tokens_per_round_beta_mixture(double beta_a, double beta_b, int speculation_length) {
  return tokens_per_round_from_survival(beta_mixture_survival(beta_a, beta_b, speculation_length));
}

double TwoStateAcceptance::easy_share() const {
  expect_places(*this);
  return hard_to_easy / (easy_to_hard + hard_to_easy);
}

TwoStateRounds two_state_rounds(const TwoStateAcceptance& places, int speculation_length) {
  expect_places(places);
  expect_at_least(0, speculation_length, "speculation_length");
  const Eigen::Matrix2d next = next_start(places, speculation_length);
  const bool never_moves =
      next(0, 1) + next(1, 0) == 0.0;  // where both rates are such that a round ends where it began
  const double easy_start =
      never_moves ? places.easy_share() : next(1, 0) / (next(0, 1) + next(1, 0));
  const Eigen::Matrix2d move = transition_matrix(places);
  TwoStateRounds rounds{.easy_start = easy_start, .survival = {}, .tokens_per_round = 1.0};
  Eigen::RowVector2d place(easy_start, 1.0 - easy_start);
  for (int i = 0; i < speculation_length; ++i) {
    const Eigen::RowVector2d accepted(place(0) * places.acceptance_rate[0],
                                      place(1) * places.acceptance_rate[1]);
    rounds.survival.push_back(accepted.sum());
    rounds.tokens_per_round += accepted.sum();
    place = accepted * move;
  }
  return rounds;
}

double tokens_per_round_two_state(const TwoStateAcceptance& places, int speculation_length) {
  return two_state_rounds(places, speculation_length).tokens_per_round;
}

}  // namespace speclab::sim
