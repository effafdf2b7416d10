#pragma once
#include <string>

#include "experiments/drivers/compare/build_gate.h"

namespace speclab::experiments {

/// The gate as a table with what was not compared, and its verdict in the last line.
std::string gate_text(const BuildGate& gate);

/// The same as one JSON object, without an end of line.
std::string gate_json(const BuildGate& gate);

}  // namespace speclab::experiments
