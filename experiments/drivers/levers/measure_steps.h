#pragma once
// Forwards of one model under every lever, which take turns with each other and with reads of
// memory.

#include <vector>

#include "analysis/tables/levers.h"
#include "experiments/drivers/levers/loaded_levers.h"

namespace speclab::experiments {

/// Ratios within one repetition, whose median is taken: memory changes its pace from second to
/// second.
/// @param tokens  of the context, which is as long
std::vector<analysis::StepRow> measure_steps(engines::Engines& engines, LoadedLevers& levers,
                                             const std::vector<Token>& tokens);

}  // namespace speclab::experiments
