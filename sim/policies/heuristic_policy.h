#pragma once
#include "sim/core/speculation_length_policy.h"

namespace speclab {

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

}  // namespace speclab
