#include "sim/policies/adaptive_policies.h"

#include <algorithm>

#include "sim/policies/number_text.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr double kPriorTested = 8.0, kPriorRate = 0.5,
                 kForgetting = 0.95;  // those of the policy auto without pilots

}  // namespace

ConfidencePolicy::ConfidencePolicy(double threshold, int max_length)
    : threshold_(threshold), max_length_(max_length) {
  if (!(threshold >= 0.0 && threshold <= 1.0))
    throw ConfigError("policy = \"confidence:" + number_text(threshold) +
                      "\"; allowed thresholds: 0 to 1");
  if (max_length < 1 || max_length > 4095)
    throw ConfigError("policy \"confidence\": max_length = " + std::to_string(max_length) +
                      "; allowed: 1 to 4095");
}

std::string ConfidencePolicy::name() const {
  return "confidence:" + number_text(threshold_) +
         (max_length_ == kMaxLength ? "" : ":" + std::to_string(max_length_));
}

void HeuristicPolicy::observe(const RoundRecord& round) {
  if (round.depth == 0) return;
  length_ = round.accepted == round.depth ? length_ + 2 : std::max(1, length_ - 1);
}

TrackingPolicy::TrackingPolicy(double cost_ratio, int max_length)
    : cost_ratio_(cost_ratio), max_length_(max_length) {
  if (!(cost_ratio >= 0.0 && cost_ratio <= 1.0))
    throw ConfigError("policy = \"tracking:" + number_text(cost_ratio) +
                      "\"; allowed cost ratios: 0 to 1");
  if (max_length < 1 || max_length > 4095)
    throw ConfigError("policy \"tracking\": max_length = " + std::to_string(max_length) +
                      "; allowed: 1 to 4095");
}

double TrackingPolicy::acceptance_rate() const {
  return (kPriorTested * kPriorRate + accepted_) / (kPriorTested + tested_);
}

/// One token more pays while what it adds to the tokens, in relation to them, is above what it adds
/// to the cost; once it is not, no longer draft pays.
int TrackingPolicy::next_length() {
  const double rate = acceptance_rate();
  int length = 1;
  double tokens = 1.0 + rate, further = rate * rate;
  for (; length < max_length_ && further * (1.0 + cost_ratio_ * length) > cost_ratio_ * tokens;
       ++length) {
    tokens += further;
    further *= rate;
  }
  return length;
}

void TrackingPolicy::observe(const RoundRecord& round) {
  if (round.depth == 0) return;
  tested_ = kForgetting * tested_ + std::min(round.depth, round.accepted + 1);
  accepted_ = kForgetting * accepted_ + round.accepted;
}

std::string TrackingPolicy::name() const {
  return "tracking:" + number_text(cost_ratio_) +
         (max_length_ == kMaxLength ? "" : ":" + std::to_string(max_length_));
}

}  // namespace speclab
