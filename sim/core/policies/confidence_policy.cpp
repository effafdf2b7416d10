#include "sim/core/policies/confidence_policy.h"

#include <array>
#include <charconv>

#include "sim/core/errors.h"

namespace speclab {
namespace {

std::string to_text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

ConfidencePolicy::ConfidencePolicy(double threshold, int max_length) : threshold_(threshold), max_length_(max_length) {
  if (!(threshold >= 0.0 && threshold <= 1.0)) throw ConfigError("policy = \"confidence:" + to_text(threshold) + "\"; allowed thresholds: 0 to 1");
  if (max_length < 1 || max_length > 4095) throw ConfigError("policy \"confidence\": max_length = " + std::to_string(max_length) + "; allowed: 1 to 4095");
}

std::string ConfidencePolicy::name() const { return "confidence:" + to_text(threshold_) + (max_length_ == kMaxLength ? "" : ":" + std::to_string(max_length_)); }

}  // namespace speclab
