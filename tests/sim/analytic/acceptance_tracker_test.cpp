#include "sim/analytic/acceptance_tracker.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using speclab::testing::round_of;

const AcceptancePrior kPrior{
    .conditional_acceptance = {0.5, 0.7}, .reach = {0.4, 1.0}, .strength = 8.0};

/// Of one level.
struct Rates {
  double acceptance, reach;
};

Rates rates(const AcceptanceTracker& tracker, std::size_t level) {
  std::vector<double> acceptance(tracker.levels()), reach(tracker.levels());
  tracker.rates(acceptance, reach);
  return {acceptance[level], reach[level]};
}
double acceptance(const AcceptanceTracker& tracker, std::size_t level) {
  return rates(tracker, level).acceptance;
}
double reach(const AcceptanceTracker& tracker, std::size_t level) {
  return rates(tracker, level).reach;
}

TEST(AcceptancePrior, IsTheFrequencyOfThePilotRoundsByLevel) {
  std::vector<RoundRecord> rounds;
  for (int i = 0; i < 4000; ++i)
    rounds.push_back(i % 2 == 0 ? round_of(0, 0) : round_of(3, i % 4 == 1 ? 1 : 3));
  const AcceptancePrior prior = acceptance_prior(rounds, 4);
  const double acceptances[] = {1.0, 0.5, 1.0};
  const double reaches[] = {0.5, 1.0, 1.0, 0.0};
  for (int level = 0; level < 3; ++level)
    EXPECT_NEAR(prior.conditional_acceptance[static_cast<std::size_t>(level)], acceptances[level],
                0.01);
  for (int level = 0; level < 4; ++level)
    EXPECT_NEAR(prior.reach[static_cast<std::size_t>(level)], reaches[level], 0.01);
}

TEST(AcceptancePrior, IsNeverCertain) {
  const std::vector<RoundRecord> rounds(3, round_of(2, 2));
  for (const double rate : acceptance_prior(rounds, 2).conditional_acceptance) EXPECT_LT(rate, 1.0);
  const std::vector<RoundRecord> misses(3, round_of(0, 0));
  EXPECT_GT(acceptance_prior(misses, 2).reach[0], 0.0);
  EXPECT_THROW(acceptance_prior({}, 2), ContractError);
  EXPECT_THROW(acceptance_prior(rounds, 1), ContractError);
}

TEST(AcceptanceTracker, BeginsAtThePrior) {
  const AcceptanceTracker tracker(kPrior, 4, 0.95);
  EXPECT_DOUBLE_EQ(acceptance(tracker, 0), 0.5);
  EXPECT_DOUBLE_EQ(acceptance(tracker, 3), 0.7);
  EXPECT_DOUBLE_EQ(reach(tracker, 0), 0.4);
  EXPECT_DOUBLE_EQ(reach(tracker, 2), 1.0);
}

TEST(AcceptanceTracker, ConvergesToWhatItSees) {
  AcceptanceTracker tracker(kPrior, 3, 1.0);
  for (int i = 0; i < 4000; ++i)
    tracker.observe(round_of(3, i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : 3), 3);
  EXPECT_NEAR(acceptance(tracker, 0), 0.75, 0.01);
  EXPECT_NEAR(acceptance(tracker, 1), 2.0 / 3.0, 0.01);
  EXPECT_NEAR(acceptance(tracker, 2), 1.0, 0.01);
  EXPECT_NEAR(reach(tracker, 0), 1.0, 0.01);
}

TEST(AcceptanceTracker, LetsOneLevelTeachTheOthers) {
  AcceptanceTracker tracker(kPrior, 3, 1.0);
  for (int i = 0; i < 20; ++i) tracker.observe(round_of(1, 0), 1);
  EXPECT_LT(acceptance(tracker, 2), 0.5);
}

TEST(AcceptanceTracker, LearnsTheHitRateFromRoundsWithoutAProposal) {
  AcceptanceTracker tracker(kPrior, 3, 1.0);
  for (int i = 0; i < 400; ++i) tracker.observe(round_of(0, 0), 3);
  EXPECT_LT(reach(tracker, 0), 0.02);
  EXPECT_DOUBLE_EQ(acceptance(tracker, 0), 0.5);
  for (int i = 0; i < 400; ++i) tracker.observe(round_of(0, 0), 0);  // nothing was asked for
  EXPECT_GT(reach(tracker, 0), 0.007);
}

TEST(AcceptanceTracker, ForgetsThePast) {
  AcceptanceTracker tracker(kPrior, 1, 0.9);
  for (int i = 0; i < 100; ++i) tracker.observe(round_of(1, 1), 1);
  const double before = acceptance(tracker, 0);
  for (int i = 0; i < 15; ++i) tracker.observe(round_of(1, 0), 1);
  EXPECT_GT(before, 0.8);
  EXPECT_LT(acceptance(tracker, 0), 0.3);
}

TEST(AcceptanceTracker, RefusesPriorsOutOfRange) {
  EXPECT_THROW(AcceptanceTracker({.conditional_acceptance = {}}, 2, 0.9), ContractError);
  EXPECT_THROW(AcceptanceTracker({.conditional_acceptance = {1.2}}, 2, 0.9), ContractError);
  EXPECT_THROW(AcceptanceTracker({.strength = 0.0}, 2, 0.9), ContractError);
  EXPECT_THROW(AcceptanceTracker({}, 2, 0.0), ContractError);
  std::vector<double> two(2), three(3);
  EXPECT_THROW(AcceptanceTracker({}, 2, 0.9).rates(two, three), ContractError);
}

}  // namespace
}  // namespace speclab::sim
