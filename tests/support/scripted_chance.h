#pragma once
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/core/rng_stream.h"

namespace speclab::testing {

/// Decides by a list of uniforms in [0, 1), one a call, whatever the key; throws when the list is used up.
class ScriptedChance {
 public:
  explicit ScriptedChance(std::vector<double> uniforms) : uniforms_(std::move(uniforms)) {}

  bool bernoulli(const StreamKey&, double probability) { return next() < probability; }
  std::size_t categorical(const StreamKey&, std::span<const float> weights) { return inverted(weights); }
  std::size_t categorical(const StreamKey&, std::span<const double> weights) { return inverted(weights); }
  std::size_t num_used() const { return num_used_; }

 private:
  double next() {
    if (num_used_ == uniforms_.size()) throw std::out_of_range("the script has no more draws");
    return uniforms_[num_used_++];
  }

  template <typename Scalar>
  std::size_t inverted(std::span<const Scalar> weights) {
    double total = 0.0;
    for (const Scalar weight : weights) total += static_cast<double>(weight);
    const double threshold = next() * total;
    double cumulative = 0.0;
    std::size_t last_positive = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      cumulative += static_cast<double>(weights[i]);
      if (cumulative > threshold) return i;
      if (weights[i] > 0) last_positive = i;
    }
    return last_positive;
  }

  std::vector<double> uniforms_;
  std::size_t num_used_ = 0;
};

}  // namespace speclab::testing
