#pragma once
#include <cstdint>

namespace speclab::engines {

/// Above 0 and below this the softmax of large logits leaves the range of float.
inline constexpr double kLeastTemperature = 1e-3;

/// Sampling settings, named and defined as in Hugging Face's generate(). One set serves plain sampling, drafting and verifying.
struct SamplingOptions {
  double temperature = 1.0;         ///< 0, which puts all mass on the arg max, or at least kLeastTemperature
  std::int32_t top_k = 0;           ///< >= 0; 0 is off
  double top_p = 1.0;               ///< in (0, 1]; 1 is off
  double min_p = 0.0;               ///< in [0, 1]; 0 is off
  double repetition_penalty = 1.0;  ///< > 0; 1 is off

  /// @throws ConfigError naming the first field out of range
  void validate() const;
};

}  // namespace speclab::engines
