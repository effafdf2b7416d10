#include "sim/analytic/acceptance_tracker.h"

#include <algorithm>
#include <string>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLevelStrength = 4.0;  // tested tokens that the shifted prior of a single level is worth

double at_or_last(const std::vector<double>& values, int index) {
  return values[std::min(static_cast<std::size_t>(index), values.size() - 1)];
}

void expect_probabilities(const std::vector<double>& values, const char* name) {
  SPECLAB_EXPECT(!values.empty(), std::string(name) + " is empty");
  for (const double value : values) SPECLAB_EXPECT(value >= 0.0 && value <= 1.0, std::string(name) + " = " + std::to_string(value));
}

}  // namespace

AcceptanceTracker::AcceptanceTracker(const AcceptancePrior& prior, int max_length, double forgetting)
    : strength_(prior.strength), forgetting_(forgetting) {
  expect_probabilities(prior.conditional_acceptance, "conditional_acceptance");
  expect_probabilities(prior.reach, "reach");
  SPECLAB_EXPECT(prior.strength > 0.0, "a prior's strength must be positive");
  SPECLAB_EXPECT(forgetting > 0.0 && forgetting <= 1.0, "forgetting = " + std::to_string(forgetting));
  SPECLAB_EXPECT(max_length >= 0, "max_length = " + std::to_string(max_length));
  for (int level = 0; level < max_length; ++level) {
    acceptance_.push_back({.prior = at_or_last(prior.conditional_acceptance, level)});
    reach_.push_back({.prior = at_or_last(prior.reach, level)});
  }
}

void AcceptanceTracker::observe(const RoundRecord& round, int requested) {
  const auto record = [](Counts& counts, bool success) {
    counts.trials += 1.0;
    counts.successes += success ? 1.0 : 0.0;
  };
  const auto forget = [this](std::vector<Counts>& all) {
    for (Counts& counts : all) counts = {counts.prior, counts.trials * forgetting_, counts.successes * forgetting_};
  };
  if (requested > 0) forget(reach_);
  for (int level = 0; level < std::min(requested, round.depth + 1); ++level) record(reach_[static_cast<std::size_t>(level)], level < round.depth);
  if (round.depth > 0) forget(acceptance_);
  for (int level = 0; level < std::min(round.depth, round.accepted + 1); ++level)
    record(acceptance_[static_cast<std::size_t>(level)], level < round.accepted);
}

double AcceptanceTracker::surprise() const {
  double difference = 0.0;
  double trials = 0.0;
  for (const Counts& counts : acceptance_) {
    difference += counts.successes - counts.trials * counts.prior;
    trials += counts.trials;
  }
  return difference / (strength_ + trials);
}

double AcceptanceTracker::conditional_acceptance(int level) const {
  const Counts& counts = acceptance_[static_cast<std::size_t>(level)];
  const double expected = std::clamp(counts.prior + surprise(), 0.0, 1.0);
  return (kLevelStrength * expected + counts.successes) / (kLevelStrength + counts.trials);
}

double AcceptanceTracker::reach(int level) const {
  const Counts& counts = reach_[static_cast<std::size_t>(level)];
  return (strength_ * counts.prior + counts.successes) / (strength_ + counts.trials);
}

}  // namespace speclab::sim
