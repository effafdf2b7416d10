#include "sim/policies/auto_policy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

void require(bool allowed, const std::string& message) {
  if (!allowed) throw ConfigError("policy \"auto\": " + message);
}

AutoPolicyOptions validated(AutoPolicyOptions options) {
  options.validate();
  return options;
}

/// Of every depth from 0: a chain's where none are given.
std::vector<int> rows_of_depth(const AutoPolicyOptions& options) {
  std::vector<int> rows = options.rows_of_depth;
  for (int depth = static_cast<int>(rows.size()); depth <= options.max_length; ++depth)
    rows.push_back(depth + 1);
  rows.resize(static_cast<std::size_t>(options.max_length) + 1);
  return rows;
}

}  // namespace

void AutoPolicyOptions::validate() const {
  require(costs != nullptr, "needs a measured cost surface");
  require(max_length >= 0 && max_length <= 4095,
          "max_length = " + std::to_string(max_length) + "; allowed: 0 to 4095");
  require(rows_of_depth.empty() || rows_of_depth.size() > static_cast<std::size_t>(max_length),
          "rows_of_depth needs an entry for every depth up to max_length");
  require(initial_context >= 0,
          "initial_context = " + std::to_string(initial_context) + "; allowed: >= 0");
  require(required_gain >= 1.0,
          "required_gain = " + std::to_string(required_gain) + "; allowed: >= 1");
  require(loss_fraction >= 0.0 && loss_allowance >= 0.0,
          "loss_fraction and loss_allowance must not be negative");
  require(probe_interval >= 1 && max_probe_interval >= probe_interval,
          "needs 1 <= probe_interval <= max_probe_interval");
}

AutoPolicy::Start::Start(AutoPolicyOptions checked)
    : options(std::move(checked)), tracker(options.prior, options.max_length, options.forgetting) {
  const auto levels = static_cast<std::size_t>(options.max_length);
  model = {.reach = std::vector<double>(levels),
           .conditional_acceptance = std::vector<double>(levels),
           .cost_ns = std::vector<double>(levels + 1)};
  if (levels > 0) costs.emplace(*options.costs, rows_of_depth(options));
}

AutoPolicy::AutoPolicy(AutoPolicyOptions options)
    : AutoPolicy(std::make_shared<const Start>(validated(std::move(options)))) {}

AutoPolicy::AutoPolicy(std::shared_ptr<const Start> start)
    : start_(std::move(start)),
      options_(start_->options),
      tracker_(start_->tracker),
      model_(start_->model),
      context_(options_.initial_context),
      probe_interval_(options_.probe_interval) {}

void AutoPolicy::update_model() {
  start_->costs->at(context_, model_.cost_ns);
  tracker_.rates(model_.conditional_acceptance, model_.reach);
}

int AutoPolicy::next_length() {
  if (options_.max_length == 0) return 0;
  update_model();
  if (!account_open_) account_ns_ = options_.loss_allowance * model_.cost_ns[0];
  account_open_ = true;
  int length = paying_length();
  if (length == 0 && plain_rounds_ >= probe_interval_)
    length = optimal_speculation_length(model_, 1);
  return requested_ = affordable(length);
}

/// The best length, or 0 where its rounds with a draft are not faster than plain ones by the
/// required gain.
int AutoPolicy::paying_length() const {
  const LengthMeans best = optimal_length_means(model_);
  const RoundMeans hits =
      model_.reach[0] == 1.0 ? best.means : round_means(model_, best.length, 1.0);
  return hits.tokens_per_ns() * model_.cost_ns[0] >= options_.required_gain ? best.length : 0;
}

/// The longest length up to `length` whose draft may be rejected entirely without overdrawing the
/// account.
int AutoPolicy::affordable(int length) const {
  const auto loss = [this](int levels) {
    return model_.cost_ns[static_cast<std::size_t>(levels)] - model_.cost_ns[0];
  };
  while (length > 0 && loss(length) > account_ns_) --length;
  return length;
}

void AutoPolicy::observe(const RoundRecord& round) {
  context_ = round.position + round.emitted;
  if (options_.max_length == 0) return;
  SPECLAB_EXPECT(account_open_ && round.depth >= 0 && round.depth <= options_.max_length,
                 "a round of depth " + std::to_string(round.depth) + " was not asked for");
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
  probe_interval_ =
      paid ? options_.probe_interval : std::min(2 * probe_interval_, options_.max_probe_interval);
}

}  // namespace speclab::sim
