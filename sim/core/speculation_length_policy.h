#pragma once
// How many tokens the next round may draft. The same objects drive the simulator and the engines.

#include <memory>
#include <string>

#include "sim/core/records.h"

namespace speclab {

/// A policy looks only at past verdicts, never at the token it is about to submit, so the output law is unharmed.
class SpeculationLengthPolicy {
 public:
  virtual ~SpeculationLengthPolicy() = default;
  /// Tokens to draft in the next round, >= 0.
  virtual int next_length() = 0;
  virtual void observe(const RoundRecord& round) = 0;
  /// A fresh policy of the same settings, for another sequence.
  virtual std::unique_ptr<SpeculationLengthPolicy> fresh() const = 0;
  virtual std::string name() const = 0;
};

}  // namespace speclab
