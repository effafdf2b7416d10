#pragma once
#include <vector>

#include "analysis/gate/count_gate.h"
#include "analysis/tables/acceptance.h"

namespace speclab::analysis {

/// gate_counts for drafts at every place of the target's text: without a coin, and of the same text
/// in both runs, so that a smaller drop is found. Rows of the same cell, prompt and depth are a
/// pair; their sums are what must be equal between runs of the same machine class, number format,
/// drafters, seed and axes, and the acceptance rate (accepted / tested, over all depths) is what is
/// gated.
CountGate gate_acceptance(const AcceptanceRun& base, const AcceptanceRun& head,
                          const GateOptions& options);

}  // namespace speclab::analysis
