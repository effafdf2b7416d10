#include "sim/analytic/auto_policy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

void require(bool allowed, const std::string& message) {
  if (!allowed) throw ConfigError("policy \"auto\": " + message);
}

AutoPolicyOptions validated(AutoPolicyOptions options) {
  options.validate();
  return options;
}

}  // namespace

void AutoPolicyOptions::validate() const {
  require(costs != nullptr, "needs a measured cost surface");
  require(max_length >= 0 && max_length <= 4095, "max_length = " + std::to_string(max_length) + "; allowed: 0 to 4095");
  require(rows_of_depth.empty() || rows_of_depth.size() > static_cast<std::size_t>(max_length), "rows_of_depth needs an entry for every depth up to max_length");
  require(initial_context >= 0, "initial_context = " + std::to_string(initial_context) + "; allowed: >= 0");
  require(required_gain >= 1.0, "required_gain = " + std::to_string(required_gain) + "; allowed: >= 1");
  require(loss_fraction >= 0.0 && loss_allowance >= 0.0, "loss_fraction and loss_allowance must not be negative");
  require(probe_interval >= 1 && max_probe_interval >= probe_interval, "needs 1 <= probe_interval <= max_probe_interval");
}

AutoPolicy::AutoPolicy(AutoPolicyOptions options) : AutoPolicy(validated(std::move(options)), nullptr) {
  auto curves = std::make_shared<Curves>();
  for (int depth = 0; depth <= options_.max_length && options_.max_length > 0; ++depth)
    curves->emplace_back(*options_.costs, depth, options_.rows_of_depth.empty() ? depth + 1 : options_.rows_of_depth[static_cast<std::size_t>(depth)]);
  curves_ = std::move(curves);
}

AutoPolicy::AutoPolicy(AutoPolicyOptions options, std::shared_ptr<const Curves> curves)
    : options_(std::move(options)),
      curves_(std::move(curves)),
      tracker_(options_.prior, options_.max_length, options_.forgetting),
      context_(options_.initial_context),
      probe_interval_(options_.probe_interval) {}

void AutoPolicy::update_model() {
  const auto levels = static_cast<std::size_t>(options_.max_length);
  model_.reach.resize(levels);
  model_.conditional_acceptance.resize(levels);
  model_.cost_ns.resize(levels + 1);
  for (int depth = 0; depth <= options_.max_length; ++depth) {
    const auto i = static_cast<std::size_t>(depth);
    model_.cost_ns[i] = (*curves_)[i].at(context_).total_ns();
    if (depth == options_.max_length) break;
    model_.reach[i] = tracker_.reach(depth);
    model_.conditional_acceptance[i] = tracker_.conditional_acceptance(depth);
  }
}

int AutoPolicy::next_length() {
  if (options_.max_length == 0) return 0;
  update_model();
  if (!account_open_) account_ns_ = options_.loss_allowance * model_.cost_ns[0];
  account_open_ = true;
  int length = paying_length();
  if (length == 0 && plain_rounds_ >= probe_interval_) length = optimal_speculation_length(model_, 1);
  return requested_ = affordable(length);
}

/// The best length, or 0 where its rounds with a draft are not faster than plain ones by the required gain.
int AutoPolicy::paying_length() const {
  const int length = optimal_speculation_length(model_);
  RoundModel hit = model_;
  hit.reach[0] = 1.0;
  const double gain = round_means(hit, length).tokens_per_ns() * model_.cost_ns[0];
  return gain >= options_.required_gain ? length : 0;
}

/// The longest length up to `length` whose draft may be rejected entirely without overdrawing the account.
int AutoPolicy::affordable(int length) const {
  const auto loss = [this](int levels) { return model_.cost_ns[static_cast<std::size_t>(levels)] - model_.cost_ns[0]; };
  while (length > 0 && loss(length) > account_ns_) --length;
  return length;
}

void AutoPolicy::observe(const RoundRecord& round) {
  context_ = round.position + round.emitted;
  if (options_.max_length == 0) return;
  SPECLAB_EXPECT(account_open_ && round.depth >= 0 && round.depth <= options_.max_length, "a round of depth " + std::to_string(round.depth) + " was not asked for");
  const double plain_ns = model_.cost_ns[0];
  const double cost_ns = model_.cost_ns[static_cast<std::size_t>(round.depth)];
  account_ns_ += round.emitted * plain_ns * (1.0 + options_.loss_fraction) - cost_ns;
  tracker_.observe(round, requested_);
  if (round.depth == 0) {
    ++plain_rounds_;
    return;
  }
  plain_rounds_ = 0;
  const bool paid = round.emitted * plain_ns > cost_ns;
  probe_interval_ = paid ? options_.probe_interval : std::min(2 * probe_interval_, options_.max_probe_interval);
}

}  // namespace speclab::sim
