#pragma once
#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// Drafts until the drafter is no longer sure. The draft ends behind the first token whose
/// probability is below the threshold, and after `max_length` tokens at the latest. That token is
/// still submitted: withholding it because of its own value would change the output law.
/// @source Hugging Face 2024, "Faster assisted generation with dynamic speculation": 0.4 and 20
class ConfidencePolicy final : public SpeculationLengthPolicy {
 public:
  static constexpr int kMaxLength = 20;

  /// @param threshold  in [0, 1]; 0 always drafts max_length. @param max_length  tokens, in [1,
  /// 4095]
  /// @throws ConfigError if one is out of range
  explicit ConfidencePolicy(double threshold = 0.4, int max_length = kMaxLength);
  int next_length() override { return max_length_; }
  std::optional<int> longest() const override { return max_length_; }
  double stop_below() const override { return threshold_; }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<ConfidencePolicy>(threshold_, max_length_);
  }
  std::string name() const override;  ///< with the length if it is not kMaxLength

 private:
  double threshold_;
  int max_length_;
};

}  // namespace speclab
