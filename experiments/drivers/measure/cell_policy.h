#pragma once
// The policy of a cell, and the costs and pilots that it goes by.

#include <memory>
#include <string>
#include <vector>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/measure/pilots.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

/// The pilots that a cell is predicted from: acceptance is a real model's, also for a shape model.
PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category);

/// The policy of a cell for a prompt: `auto` from the costs of its pair and the pilots of the
/// prompt's category.
std::unique_ptr<SpeculationLengthPolicy> cell_policy(const Plan& plan, const RunLog& log,
                                                     const Cell& cell, const std::string& category,
                                                     int prompt_tokens);

}  // namespace speclab::experiments
