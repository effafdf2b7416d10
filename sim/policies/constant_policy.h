#pragma once
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

}  // namespace speclab
