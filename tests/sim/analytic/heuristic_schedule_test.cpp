#include "sim/analytic/heuristic_schedule.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "sim/analytic/tokens_per_round.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// The stationary law of the chain on lengths 1 ... size by a linear system; the longest cannot
/// grow.
Eigen::VectorXd stationary_by_linear_system(double rate, int size) {
  Eigen::MatrixXd moves = Eigen::MatrixXd::Zero(size, size);
  for (int length = 1; length <= size; ++length) {
    const double grow = std::pow(rate, length);
    moves(length - 1, std::min(length + 2, size) - 1) += grow;
    moves(length - 1, std::max(length - 1, 1) - 1) += 1.0 - grow;
  }
  Eigen::MatrixXd system = moves.transpose() - Eigen::MatrixXd::Identity(size, size);
  system.row(size - 1).setOnes();
  return system.fullPivLu().solve(Eigen::VectorXd::Unit(size, size - 1));
}

TEST(HeuristicLongRun, IsTheStationaryLawOfTheChain) {
  for (const double rate : {0.0, 0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95}) {
    const HeuristicLongRun run = heuristic_long_run(rate);
    const Eigen::VectorXd law = stationary_by_linear_system(rate, 200);
    for (std::size_t i = 0; i < std::min<std::size_t>(200, run.length_law.size()); ++i)
      EXPECT_NEAR(run.length_law[i], law(static_cast<Eigen::Index>(i)), 1e-13)
          << rate << ", length " << i + 1;
  }
}

TEST(HeuristicLongRun, IsALawWhoseMeansAreThoseOfItsLengths) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.0, 0.99);
    const HeuristicLongRun run = heuristic_long_run(rate);
    EXPECT_NEAR(std::accumulate(run.length_law.begin(), run.length_law.end(), 0.0), 1.0, 1e-13);
    double tokens = 0.0, drift = run.length_law[0] * (1.0 - rate);  // what the floor gives back
    for (std::size_t i = 0; i < run.length_law.size(); ++i) {
      const auto length = static_cast<int>(i + 1);
      tokens += run.length_law[i] * tokens_per_round(rate, length);
      drift += run.length_law[i] * (3.0 * std::pow(rate, length) - 1.0);
    }
    EXPECT_NEAR(run.tokens_per_round, tokens, 1e-11);
    EXPECT_NEAR(drift, 0.0, 1e-11) << "a stationary length does not drift";
  });
}

TEST(HeuristicLongRun, ForgetsItsFloorAndBalancesAtAThirdAsAcceptanceRises) {
  for (const double rate : {0.95, 0.99, 0.999, 0.99999}) {
    const HeuristicLongRun run = heuristic_long_run(rate);
    EXPECT_NEAR(run.full_accept_probability, 1.0 / 3.0, 1e-6);
    EXPECT_NEAR(run.tokens_per_round / heuristic_tokens_per_round(rate), 1.0, 1e-6);
    EXPECT_NEAR(run.mean_speculation_length / heuristic_balance_length(rate), 1.0, 0.1)
        << "the mean of a curved rate";
  }
}

TEST(HeuristicLongRun, DraftsOneTokenWhereNothingIsAccepted) {
  const HeuristicLongRun run = heuristic_long_run(0.0);
  EXPECT_EQ(run.length_law[0], 1.0);
  EXPECT_EQ(run.mean_speculation_length, 1.0);
  EXPECT_EQ(run.tokens_per_round, 1.0);
  EXPECT_EQ(heuristic_balance_length(0.0), 0.0);
  EXPECT_EQ(heuristic_tokens_per_round(0.0), 1.0);
}

TEST(HeuristicSpeedup, IsTokensOverTheCostOfTheMeanLength) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.0, 0.98), cost = values.uniform();
    const HeuristicLongRun run = heuristic_long_run(rate);
    EXPECT_NEAR(
        heuristic_predicted_speedup(rate, cost) * (1.0 + cost * run.mean_speculation_length),
        run.tokens_per_round, 1e-12);
    EXPECT_NEAR(heuristic_predicted_speedup(rate, 0.0), run.tokens_per_round, 1e-14);
  });
}

TEST(HeuristicBalance, IsWhereAThirdOfTheRoundsIsAcceptedInFull) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(0.01, 0.999);
    EXPECT_NEAR(std::pow(rate, heuristic_balance_length(rate)), 1.0 / 3.0, 1e-12);
  });
}

/// The same object that the simulator and the engines are handed.
TEST(HeuristicLengths, AreThoseOfThePolicy) {
  for_random_values([](RandomValues& values) {
    std::vector<int> matches;
    for (int i = 0; i < 40; ++i) matches.push_back(values.integer(0, 9));
    const std::vector<int> lengths = heuristic_speculation_length(matches, 5);
    HeuristicPolicy policy;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      ASSERT_EQ(policy.next_length(), lengths[i]);
      policy.observe(round_of(lengths[i], std::min(lengths[i], matches[i])));
    }
    EXPECT_EQ(policy.next_length(), lengths.back());
  });
}

TEST(HeuristicSchedule, RefusesArgumentsOutOfRange) {
  for (const auto formula : {heuristic_balance_length, heuristic_tokens_per_round}) {
    expect_refused(formula, kNoProbability);
    EXPECT_THROW(formula(1.0), ContractError);
  }
  expect_refused(heuristic_long_run, kNoProbability);
  expect_refused(heuristic_long_run, {1.0, 0.999999});
  expect_refused([](double cost) { heuristic_predicted_speedup(0.5, cost); }, kNegative);
  EXPECT_THROW(heuristic_speculation_length(std::vector<int>{1, -1}, 5), ContractError);
  EXPECT_THROW(heuristic_speculation_length(std::vector<int>{1}, 0), ContractError);
}

}  // namespace
}  // namespace speclab::sim
