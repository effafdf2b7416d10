#pragma once
// How many tokens the next round may draft. The same objects drive the simulator and the engines.

#include <memory>
#include <optional>
#include <string>

#include "sim/core/records.h"

namespace speclab {

/// A policy looks at past verdicts and at tokens that will be submitted in any case, never at one
/// that it might withhold, so the output law is unharmed.
class SpeculationLengthPolicy {
 public:
  virtual ~SpeculationLengthPolicy() = default;
  /// Tokens to draft in the next round, >= 0.
  virtual int next_length() = 0;
  /// What no next_length exceeds, where that is known before the first.
  virtual std::optional<int> longest() const { return std::nullopt; }
  /// The draft ends behind the first token, itself submitted, that the drafter gave less than this
  /// probability; 0 ends none.
  virtual double stop_below() const { return 0.0; }
  virtual void observe(const RoundRecord& round) = 0;
  /// A fresh policy of the same settings, for another sequence.
  virtual std::unique_ptr<SpeculationLengthPolicy> fresh() const = 0;
  virtual std::string name() const = 0;
};

}  // namespace speclab
