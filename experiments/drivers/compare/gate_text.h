#pragma once
#include <string>
#include <vector>

#include "analysis/gate/gate_power.h"
#include "experiments/drivers/compare/build_gate.h"

namespace speclab::experiments {

/// The gate as a table with what was not compared, and its verdict in the last line.
std::string gate_text(const BuildGate& gate);

/// The same as one JSON object, without an end of line.
std::string gate_json(const BuildGate& gate);

/// What the gate on times finds, from the pairs of a build with itself in those folders together.
/// @throws DataError if there are too few, or of different benchmarks
analysis::GatePower power_of_folders(const std::vector<std::string>& folders);

/// As a table, with the smallest slow-down that is found in nine of ten gates in the last lines.
std::string power_text(const analysis::GatePower& power);

/// The same as one JSON object, without an end of line.
std::string power_json(const analysis::GatePower& power);

}  // namespace speclab::experiments
