#pragma once
#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// Follows the acceptance rate α of the sequence. It takes the length γ with the most expected
/// tokens per cost, (1 - α^(γ+1)) / ((1 - α)(1 + c γ)), for a fixed cost ratio c. γ lies between 1,
/// so that it keeps learning, and `max_length`. α is the share of tested levels that were accepted;
/// it starts from eight assumed tests at 1/2. Each round weighs the rounds before it by 0.95. A
/// round without a draft changes nothing.
/// @source Leviathan et al. 2023, Theorem 3.8; Section 3.3: c was below 0.05
class TrackingPolicy final : public SpeculationLengthPolicy {
 public:
  static constexpr double kCostRatio = 0.05;
  static constexpr int kMaxLength = 20;

  /// @param cost_ratio  c in [0, 1]; 0 always drafts max_length. @param max_length  tokens, in [1,
  /// 4095]
  /// @throws ConfigError if one is out of range
  explicit TrackingPolicy(double cost_ratio = kCostRatio, int max_length = kMaxLength);
  int next_length() override;
  std::optional<int> longest() const override { return max_length_; }
  void observe(const RoundRecord& round) override;
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<TrackingPolicy>(cost_ratio_, max_length_);
  }
  std::string name() const override;  ///< with the length if it is not kMaxLength
  double acceptance_rate() const;     ///< the present estimate of α

 private:
  double cost_ratio_;
  int max_length_;
  double tested_ = 0.0, accepted_ = 0.0;  ///< levels; older ones weigh less
};

}  // namespace speclab
