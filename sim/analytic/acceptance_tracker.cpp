#include "sim/analytic/acceptance_tracker.h"

#include <algorithm>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLevelStrength = 4.0;  // tested tokens that the shifted prior of a single level is worth

double at_or_last(const std::vector<double>& values, int index) {
  return values[std::min(static_cast<std::size_t>(index), values.size() - 1)];
}

void expect_some_probabilities(const std::vector<double>& values, const char* name) {
  SPECLAB_EXPECT(!values.empty(), std::string(name) + " is empty");
  expect_probabilities(values, name);
}

/// Successes over trials, together with `strength` trials at the rate `expected`.
double shrunk_rate(const Tally& tally, double expected, double strength) {
  return (strength * expected + tally.successes) / (strength + tally.trials);
}

void forget(std::vector<Tally>& levels, double forgetting) {
  for (Tally& level : levels) level = {level.trials * forgetting, level.successes * forgetting};
}

/// Rate of every level, worth kLevelStrength trials at the rate of all of them (itself begun at one success in two).
std::vector<double> shrunk_rates(const std::vector<Tally>& levels) {
  Tally all{.trials = 2.0, .successes = 1.0};
  for (const Tally& level : levels) all = {all.trials + level.trials, all.successes + level.successes};
  const double pooled = all.successes / all.trials;
  std::vector<double> rates;
  for (const Tally& level : levels) rates.push_back(shrunk_rate(level, pooled, kLevelStrength));
  return rates;
}

void count(std::vector<Tally>& levels, int tested, int succeeded) {
  for (int level = 0; level < tested; ++level) {
    levels[static_cast<std::size_t>(level)].trials += 1.0;
    levels[static_cast<std::size_t>(level)].successes += level < succeeded ? 1.0 : 0.0;
  }
}

}  // namespace

AcceptancePrior acceptance_prior(std::span<const RoundRecord> rounds, int requested_length) {
  SPECLAB_EXPECT(!rounds.empty() && requested_length >= 1, "a prior needs rounds that asked for a level");
  std::vector<Tally> reach(static_cast<std::size_t>(requested_length));
  std::vector<Tally> acceptance(reach.size());
  for (const RoundRecord& round : rounds) {
    SPECLAB_EXPECT(round.depth <= requested_length, "a round drafted " + std::to_string(round.depth) + " levels");
    count(reach, std::min(requested_length, round.depth + 1), round.depth);
    count(acceptance, std::min(round.depth, round.accepted + 1), round.accepted);
  }
  AcceptancePrior prior;
  prior.conditional_acceptance = shrunk_rates(acceptance);
  prior.reach = shrunk_rates(reach);
  return prior;
}

AcceptanceTracker::AcceptanceTracker(const AcceptancePrior& prior, int max_length, double forgetting)
    : strength_(prior.strength), forgetting_(forgetting) {
  expect_some_probabilities(prior.conditional_acceptance, "conditional_acceptance");
  expect_some_probabilities(prior.reach, "reach");
  SPECLAB_EXPECT(prior.strength > 0.0, "a prior's strength must be positive");
  SPECLAB_EXPECT(forgetting > 0.0 && forgetting <= 1.0, "forgetting = " + std::to_string(forgetting));
  SPECLAB_EXPECT(max_length >= 0, "max_length = " + std::to_string(max_length));
  for (int level = 0; level < max_length; ++level) {
    prior_acceptance_.push_back(at_or_last(prior.conditional_acceptance, level));
    prior_reach_.push_back(at_or_last(prior.reach, level));
  }
  acceptance_.resize(prior_acceptance_.size());
  reach_.resize(prior_reach_.size());
}

void AcceptanceTracker::observe(const RoundRecord& round, int requested) {
  if (requested == 0) return;
  forget(reach_, forgetting_);
  count(reach_, std::min(requested, round.depth + 1), round.depth);
  if (round.depth == 0) return;
  forget(acceptance_, forgetting_);
  count(acceptance_, std::min(round.depth, round.accepted + 1), round.accepted);
}

double AcceptanceTracker::surprise() const {
  double difference = 0.0;
  double trials = 0.0;
  for (std::size_t level = 0; level < acceptance_.size(); ++level) {
    difference += acceptance_[level].successes - acceptance_[level].trials * prior_acceptance_[level];
    trials += acceptance_[level].trials;
  }
  return difference / (strength_ + trials);
}

double AcceptanceTracker::conditional_acceptance(int level) const {
  const auto i = static_cast<std::size_t>(level);
  return shrunk_rate(acceptance_[i], std::clamp(prior_acceptance_[i] + surprise(), 0.0, 1.0), kLevelStrength);
}

double AcceptanceTracker::reach(int level) const {
  const auto i = static_cast<std::size_t>(level);
  return shrunk_rate(reach_[i], prior_reach_[i], strength_);
}

}  // namespace speclab::sim
