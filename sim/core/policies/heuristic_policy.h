#pragma once
#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// Starts at 5; two more when every drafted level of a round was accepted, else one less, never
/// below 1. A round in which the drafter proposed nothing changes nothing. Of an adaptive tree
/// these are nodes, by the same rule.
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
