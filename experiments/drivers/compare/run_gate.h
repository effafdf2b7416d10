#pragma once
#include <string>

#include "analysis/gate/count_gate.h"

namespace speclab::experiments {

struct RunGateOptions {
  analysis::GateOptions gate{};
  bool json = false;
};

/// Holds the counts of two run folders against each other and prints what differs; walltimes stand
/// beside, not gated.
/// @throws DataError if a folder is none, or is broken or changed; ConfigError unless both are of
/// the kind `decoding`, or both `drafter_acceptance`; Error(invalid_measurement) if one has
/// measured nothing
analysis::GateVerdict compare_runs(const std::string& base, const std::string& head,
                                   const RunGateOptions& options);

}  // namespace speclab::experiments
