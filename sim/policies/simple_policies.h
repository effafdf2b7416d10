#pragma once
// Policies of the speculation length that need no costs: fixed ones, and those that watch drafts or
// their fate.

#include <algorithm>

#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// One length for every round; 0 never drafts.
class ConstantPolicy final : public SpeculationLengthPolicy {
 public:
  /// @param length  γ, tokens. @throws ConfigError unless in [0, 4095]
  explicit ConstantPolicy(int length);
  int next_length() override { return length_; }
  std::optional<int> longest() const override { return length_; }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<ConstantPolicy>(length_);
  }
  std::string name() const override {
    return length_ == 0 ? "none" : "constant:" + std::to_string(length_);
  }

 private:
  int length_;
};

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

/// Starts at 5. The length grows by 2 if every drafted level of a round was accepted, else it
/// shrinks by 1, never below 1. A round without a proposal changes nothing. An adaptive tree counts
/// nodes by this rule.
/// @source Gante 2023, "Assisted Generation" (Hugging Face), heuristic schedule; of nodes: NTT 2023
class HeuristicPolicy final : public SpeculationLengthPolicy {
 public:
  int next_length() override { return length_; }
  void observe(const RoundRecord& round) override;
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<HeuristicPolicy>();
  }
  std::string name() const override { return "heuristic"; }

 private:
  int length_ = 5;
};

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
