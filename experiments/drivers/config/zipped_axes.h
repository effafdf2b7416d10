#pragma once
// The tables [[zip]] and [[exclude]] of an experiment's config.

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/toml/config_reader.h"

namespace speclab::experiments {

/// Keeps the rows of every [[zip]], and puts each of its axes into [axes] (or [target] for the
/// models), where it is read and checked as any other.
void read_zips(ConfigNode& root, RunConfig& config, Findings& findings);

/// Reads every [[exclude]], after the axes.
void read_exclusions(const ConfigNode& root, RunConfig& config, Findings& findings);

/// Refuses a sweep without a cell or with too many, and exclusions that leave nothing out.
void check_sweep(const ConfigNode& root, const RunConfig& config, Findings& findings);

inline constexpr double kMostCells = 100'000;

}  // namespace speclab::experiments
