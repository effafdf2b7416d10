#pragma once
#include <set>
#include <string>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/workbench.h"

namespace speclab::experiments {

/// Where this run comes from, on this machine, now; what is measured of the machine is left out.
/// @param workers  processes that share the measuring
HeaderEntry current_origin(const LoadedPlan& loaded, int workers);

/// HeaderEntry::machine; takes seconds.
std::vector<std::pair<std::string, double>> measure_machine(const LoadedPlan& loaded);

/// The effective config and [provenance], as results/TABLES.md describes it. @param log  looked at
/// by the plan, which has a section of it
std::string manifest_toml(const Plan& plan, const RunLog& log);

/// The sections whose rows the plan has, and its own.
std::set<int> sections_in_tables(const RunLog& log);
/// True if rows and manifest name sections: the rows are of several, or of one whose origin is not
/// the last one's.
bool names_sections(const RunLog& log);

}  // namespace speclab::experiments
