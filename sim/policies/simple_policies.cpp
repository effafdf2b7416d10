#include "sim/policies/simple_policies.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/policies/clairvoyant_policy.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr double kPriorTested = 8.0, kPriorRate = 0.5,
                 kForgetting = 0.95;  // those of the policy auto without pilots

/// The shortest text that reads back as this number, for the names of policies.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

/// @param name  of a policy of this one length
void require_fixed_length(int length, const std::string& name) {
  if (length < 0 || length > 4095)
    throw ConfigError("policy = \"" + name + "\"; allowed lengths: 0 to 4095");
}

/// A policy's number and longest length. @param numbers  what the number is, in the plural
void require_number_and_length(const std::string& kind, const char* numbers, double number,
                               int max_length) {
  if (!(number >= 0.0 && number <= 1.0))
    throw ConfigError("policy = \"" + kind + ":" + number_text(number) + "\"; allowed " + numbers +
                      ": 0 to 1");
  if (max_length < 1 || max_length > 4095)
    throw ConfigError("policy \"" + kind + "\": max_length = " + std::to_string(max_length) +
                      "; allowed: 1 to 4095");
}

}  // namespace

ConstantPolicy::ConstantPolicy(int length) : length_(length) {
  require_fixed_length(length, "constant:" + std::to_string(length));
}

ClairvoyantPolicy::ClairvoyantPolicy(int max_length) : max_length_(max_length) {
  require_fixed_length(max_length, name());
}

ConfidencePolicy::ConfidencePolicy(double threshold, int max_length)
    : threshold_(threshold), max_length_(max_length) {
  require_number_and_length("confidence", "thresholds", threshold, max_length);
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
  require_number_and_length("tracking", "cost ratios", cost_ratio, max_length);
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
