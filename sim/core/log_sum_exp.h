#pragma once
#include <algorithm>
#include <cmath>
#include <span>

namespace speclab {

/// ln of the sum of exp(logits), in double.
/// @param logits  at least one; minus infinity is probability 0
/// @return NaN if a logit is NaN or infinite, or all are minus infinity
inline double log_sum_exp(std::span<const float> logits) {
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

}  // namespace speclab
