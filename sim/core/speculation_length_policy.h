#pragma once
// Policies say how many tokens the next round may draft. One object serves the simulator or the
// engines.

#include <memory>
#include <optional>
#include <string>

#include "sim/core/records.h"

namespace speclab {

/// A policy sees past verdicts, and tokens that will be submitted in any case. It never sees a
/// token that it might withhold, so the output law stays the target's.
class SpeculationLengthPolicy {
 public:
  virtual ~SpeculationLengthPolicy() = default;
  /// Tokens to draft in the next round, >= 0.
  virtual int next_length() = 0;
  /// An upper bound of next_length, if one is known in advance.
  virtual std::optional<int> longest() const { return std::nullopt; }
  /// The draft ends behind the first token that the drafter gave less than this probability; that
  /// token is submitted too. 0 ends none.
  virtual double stop_below() const { return 0.0; }
  virtual void observe(const RoundRecord& round) = 0;
  /// A fresh policy of the same settings, for another sequence.
  virtual std::unique_ptr<SpeculationLengthPolicy> fresh() const = 0;
  virtual std::string name() const = 0;
};

}  // namespace speclab
