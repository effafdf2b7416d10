#include "sim/policies/confidence_policy.h"

#include "sim/policies/number_text.h"
#include "sim/system/errors.h"

namespace speclab {

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

}  // namespace speclab
