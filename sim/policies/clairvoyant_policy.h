#pragma once
// The policy that knows the future, for simulations alone.

#include <algorithm>

#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// Drafts exactly the run that will be accepted, as nothing that runs can: the bound on what any
/// policy gains. The simulator tells it the run of each round; handed to an engine, which cannot,
/// it drafts nothing.
class ClairvoyantPolicy final : public SpeculationLengthPolicy {
 public:
  /// @param max_length  levels, in [0, 4095]. @throws ConfigError if it is out of range
  explicit ClairvoyantPolicy(int max_length);
  int max_length() const { return max_length_; }
  /// The next round would accept that many levels of a draft of max_length.
  void foresee(int run) { run_ = run; }
  int next_length() override { return std::min(run_, max_length_); }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<ClairvoyantPolicy>(max_length_);
  }
  std::string name() const override { return "clairvoyant:" + std::to_string(max_length_); }

 private:
  int max_length_;
  int run_ = 0;
};

}  // namespace speclab
