#pragma once
#include "experiments/drivers/config/config_tree.h"
#include "experiments/drivers/config/run_config.h"

namespace speclab::experiments {

/// Reads and checks the table [axes], after [experiment], [target] and [drafters]. @throws ConfigError
void read_axes(const ConfigNode& table, RunConfig& config);

}  // namespace speclab::experiments
