#include "sim/analytic/acceptance_tracker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLevelStrength =
    4.0;  // tested tokens that the shifted prior of a single level is worth

double at_or_last(const std::vector<double>& values, int index) {
  return values[std::min(static_cast<std::size_t>(index), values.size() - 1)];
}

void expect_some_probabilities(const std::vector<double>& values, const char* name) {
  SPECLAB_EXPECT(!values.empty(), std::string(name) + " is empty");
  expect_probabilities(values, name);
}

/// How often a level was there to be reached or accepted, and how often it was.
struct Tally {
  double trials = 0.0;
  double successes = 0.0;
};

/// Successes over trials, together with `strength` trials at the rate `expected`.
double shrunk_rate(const Tally& tally, double expected, double strength) {
  return (strength * expected + tally.successes) / (strength + tally.trials);
}

/// Rate of every level, worth kLevelStrength trials at the rate of all of them (itself begun at one
/// success in two).
std::vector<double> shrunk_rates(const std::vector<Tally>& levels) {
  Tally all{.trials = 2.0, .successes = 1.0};
  for (const Tally& level : levels)
    all = {all.trials + level.trials, all.successes + level.successes};
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
  SPECLAB_EXPECT(!rounds.empty() && requested_length >= 1,
                 "a prior needs rounds that asked for a level");
  std::vector<Tally> reach(static_cast<std::size_t>(requested_length));
  std::vector<Tally> acceptance(reach.size());
  for (const RoundRecord& round : rounds) {
    SPECLAB_EXPECT(round.depth <= requested_length,
                   "a round drafted " + std::to_string(round.depth) + " levels");
    count(reach, std::min(requested_length, round.depth + 1), round.depth);
    count(acceptance, std::min(round.depth, round.accepted + 1), round.accepted);
  }
  AcceptancePrior prior;
  prior.conditional_acceptance = shrunk_rates(acceptance);
  prior.reach = shrunk_rates(reach);
  return prior;
}

AcceptanceTracker::AcceptanceTracker(const AcceptancePrior& prior, int max_length,
                                     double forgetting)
    : strength_(prior.strength), forgetting_(forgetting) {
  expect_some_probabilities(prior.conditional_acceptance, "conditional_acceptance");
  expect_some_probabilities(prior.reach, "reach");
  SPECLAB_EXPECT(prior.strength > 0.0, "a prior's strength must be positive");
  SPECLAB_EXPECT(forgetting > 0.0 && forgetting <= 1.0,
                 "forgetting = " + std::to_string(forgetting));
  SPECLAB_EXPECT(max_length >= 0, "max_length = " + std::to_string(max_length));
  const Levels none(static_cast<std::size_t>(max_length), 0.0);
  Constants constants;
  for (int level = 0; level < max_length; ++level) {
    constants.prior_acceptance.push_back(at_or_last(prior.conditional_acceptance, level));
    constants.prior_reaches.push_back(strength_ * at_or_last(prior.reach, level));
    constants.steps.push_back(1.0);
  }
  constants.steps.insert(constants.steps.end(), none.begin(), none.end());
  constants_ = std::make_shared<const Constants>(std::move(constants));
  acceptance_ = reach_ = {none, none};
}

/// Weakens the past and adds 1 at the first `counted` levels; 0 at the others, so that all are
/// treated alike, several at a time and without a branch on what chance decides.
void AcceptanceTracker::forget_and_count(Levels& levels, int counted) const {
  const std::size_t size = levels.size();
  const double* const steps = constants_->steps.data() + (size - static_cast<std::size_t>(counted));
  double* const counts = levels.data();
  const double forgetting = forgetting_;
#pragma GCC ivdep
  for (std::size_t level = 0; level < size; ++level)
    counts[level] = counts[level] * forgetting + steps[level];
}

void AcceptanceTracker::forget_and_count(Tallies& tallies, int tested, int succeeded) const {
  forget_and_count(tallies.trials, tested);
  forget_and_count(tallies.successes, std::min(tested, succeeded));
}

void AcceptanceTracker::observe(const RoundRecord& round, int requested) {
  if (requested == 0) return;
  forget_and_count(reach_, std::min(requested, round.depth + 1), round.depth);
  if (round.depth > 0)
    forget_and_count(acceptance_, std::min(round.depth, round.accepted + 1), round.accepted);
}

double AcceptanceTracker::surprise() const {
  double difference = 0.0;
  double trials = 0.0;
  const Levels& prior = constants_->prior_acceptance;
  for (std::size_t level = 0; level < prior.size(); ++level) {
    difference += acceptance_.successes[level] - acceptance_.trials[level] * prior[level];
    trials += acceptance_.trials[level];
  }
  return difference / (strength_ + trials);
}

void AcceptanceTracker::rates(std::span<double> conditional_acceptance,
                              std::span<double> reach) const {
  SPECLAB_EXPECT(conditional_acceptance.size() == levels() && reach.size() == levels(),
                 "an entry for every level is needed");
  const double moved = surprise(), strength = strength_;
  const Levels &prior = constants_->prior_acceptance, &prior_reaches = constants_->prior_reaches;
#pragma GCC ivdep
  for (std::size_t level = 0; level < reach.size(); ++level)
    reach[level] =
        (prior_reaches[level] + reach_.successes[level]) / (strength + reach_.trials[level]);
#pragma GCC ivdep
  for (std::size_t level = 0; level < reach.size(); ++level) {
    const double shifted = prior[level] + moved, above_zero = shifted < 0.0 ? 0.0 : shifted;
    const double expected = above_zero > 1.0 ? 1.0 : above_zero;
    conditional_acceptance[level] = (kLevelStrength * expected + acceptance_.successes[level]) /
                                    (kLevelStrength + acceptance_.trials[level]);
  }
}

}  // namespace speclab::sim
