#include "tests/sim/monte_carlo/support/reference_auto_policy.h"

#include <algorithm>
#include <utility>

namespace speclab::testing {
namespace {

constexpr double kLevelStrength = 4.0;

double at_or_last(const std::vector<double>& values, int index) {
  return values[std::min(static_cast<std::size_t>(index), values.size() - 1)];
}

}  // namespace

ReferenceAutoPolicy::ReferenceAutoPolicy(sim::AutoPolicyOptions options)
    : options_(std::move(options)),
      acceptance_(static_cast<std::size_t>(options_.max_length)),
      reach_(acceptance_.size()),
      context_(options_.initial_context),
      probe_interval_(options_.probe_interval) {}

std::vector<double> ReferenceAutoPolicy::costs_here() const {
  std::vector<double> costs;
  for (int depth = 0; depth <= options_.max_length; ++depth)
    costs.push_back(options_.costs->round_ns(
        depth,
        options_.rows_of_depth.empty() ? depth + 1
                                       : options_.rows_of_depth[static_cast<std::size_t>(depth)],
        context_));
  return costs;
}

double ReferenceAutoPolicy::surprise() const {
  double difference = 0.0, trials = 0.0;
  for (int level = 0; level < options_.max_length; ++level) {
    const Counts& counts = acceptance_[static_cast<std::size_t>(level)];
    difference +=
        counts.successes - counts.trials * at_or_last(options_.prior.conditional_acceptance, level);
    trials += counts.trials;
  }
  return difference / (options_.prior.strength + trials);
}

double ReferenceAutoPolicy::conditional_acceptance(int level) const {
  const Counts& counts = acceptance_[static_cast<std::size_t>(level)];
  const double expected =
      std::clamp(at_or_last(options_.prior.conditional_acceptance, level) + surprise(), 0.0, 1.0);
  return (kLevelStrength * expected + counts.successes) / (kLevelStrength + counts.trials);
}

double ReferenceAutoPolicy::reach(int level) const {
  const Counts& counts = reach_[static_cast<std::size_t>(level)];
  const double strength = options_.prior.strength;
  return (strength * at_or_last(options_.prior.reach, level) + counts.successes) /
         (strength + counts.trials);
}

double ReferenceAutoPolicy::tokens_per_ns(int length, double hit_rate) const {
  double tokens = 1.0, ns = cost_ns_[0], drafted = 1.0, survival = 1.0;
  for (int level = 0; level < length; ++level) {
    const double here = level == 0 ? hit_rate : reach(level);
    drafted *= here;
    survival *= here * conditional_acceptance(level);
    tokens += survival;
    ns += drafted * (cost_ns_[static_cast<std::size_t>(level) + 1] -
                     cost_ns_[static_cast<std::size_t>(level)]);
  }
  return tokens / ns;
}

int ReferenceAutoPolicy::best_length(int shortest) const {
  int best = shortest;
  for (int length = shortest + 1; length <= options_.max_length; ++length)
    if (tokens_per_ns(length, reach(0)) > tokens_per_ns(best, reach(0))) best = length;
  return best;
}

int ReferenceAutoPolicy::next_length() {
  if (options_.max_length == 0) return 0;
  cost_ns_ = costs_here();
  if (!account_open_) account_ns_ = options_.loss_allowance * cost_ns_[0];
  account_open_ = true;
  int length = best_length(0);
  if (!(tokens_per_ns(length, 1.0) * cost_ns_[0] >= options_.required_gain)) length = 0;
  if (length == 0 && plain_rounds_ >= probe_interval_) length = best_length(1);
  while (length > 0 && cost_ns_[static_cast<std::size_t>(length)] - cost_ns_[0] > account_ns_)
    --length;
  return requested_ = length;
}

void ReferenceAutoPolicy::observe(const RoundRecord& round) {
  context_ = round.position + round.emitted;
  if (options_.max_length == 0) return;
  account_ns_ += round.emitted * cost_ns_[0] * (1.0 + options_.loss_fraction) -
                 cost_ns_[static_cast<std::size_t>(round.depth)];
  const auto forget_and_count = [this](std::vector<Counts>& levels, int tested, int succeeded) {
    for (int level = 0; level < options_.max_length; ++level) {
      Counts& counts = levels[static_cast<std::size_t>(level)];
      counts = {counts.trials * options_.forgetting, counts.successes * options_.forgetting};
      if (level < tested) counts.trials += 1.0;
      if (level < tested && level < succeeded) counts.successes += 1.0;
    }
  };
  if (requested_ > 0) forget_and_count(reach_, std::min(requested_, round.depth + 1), round.depth);
  if (requested_ > 0 && round.depth > 0)
    forget_and_count(acceptance_, std::min(round.depth, round.accepted + 1), round.accepted);
  if (round.depth == 0) {
    ++plain_rounds_;
    return;
  }
  plain_rounds_ = 0;
  const bool paid = round.emitted * cost_ns_[0] > cost_ns_[static_cast<std::size_t>(round.depth)];
  probe_interval_ =
      paid ? options_.probe_interval : std::min(2 * probe_interval_, options_.max_probe_interval);
}

}  // namespace speclab::testing
