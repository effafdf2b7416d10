#pragma once
#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/run_config.h"

namespace speclab::experiments {

/// Checks the values of the axes against one another, [target] and [drafters]. A kind that
/// looks at drafts has the policy constant:4 if none is given.
void check_axes(const RunTables& tables, RunConfig& config);

}  // namespace speclab::experiments
