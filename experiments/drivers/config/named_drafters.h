#pragma once
// The drafters of an experiment's config: [drafters.NAME].

#include "experiments/drivers/config/config_reader.h"
#include "experiments/drivers/config/run_config.h"

namespace speclab::experiments {

/// @param table  [drafters]
void read_drafters(const ConfigNode& table, RunConfig& config, Findings& findings);

/// The config's own drafters and one for each kind.
std::vector<NamedDrafter> all_drafters(const RunConfig& config);

/// Its trees are those of axes.tree; the others have one of their own, or draft chains.
bool follows_tree_axis(const NamedDrafter& drafter);

/// Refuses an element of `tree` that is no shape.
void check_tree(const ConfigReader& reader, std::size_t index, const std::string& tree);

}  // namespace speclab::experiments
