#pragma once
#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/config/run_tables.h"

namespace speclab::experiments {

/// Checks the values of the axes against one another, [target] and [drafters]. Of a rule atlas
/// whose policy is not given the policy becomes constant:4.
void check_axes(const RunTables& tables, RunConfig& config);

}  // namespace speclab::experiments
