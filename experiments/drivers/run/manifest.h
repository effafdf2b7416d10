#pragma once
#include <string>

#include "experiments/drivers/run/run_log.h"
#include "experiments/drivers/run/workbench.h"

namespace speclab::experiments {

/// Where this run comes from, on this machine, now; what is measured of the machine is left out.
/// @param workers  processes that share the measuring
HeaderEntry current_origin(const LoadedPlan& loaded, int workers);

/// HeaderEntry::machine; takes seconds.
std::vector<std::pair<std::string, double>> measure_machine(const LoadedPlan& loaded);

/// @throws DriftError naming every entry and every key of the config that differs: a run is resumed by the program, config, models and machine that began it
void check_same_origin(const HeaderEntry& begun, const HeaderEntry& now, const std::string& folder);

/// The effective config and [provenance], as results/README.md describes it.
std::string manifest_toml(const Plan& plan, const HeaderEntry& header);

}  // namespace speclab::experiments
