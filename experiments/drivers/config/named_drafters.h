#pragma once
// The drafters of an experiment's config: [drafters.NAME].

#include "experiments/drivers/config/config_reader.h"
#include "experiments/drivers/config/run_config.h"

namespace speclab::experiments {

/// @param table  [drafters]
/// @throws ConfigError with line and column
void read_drafters(const ConfigNode& table, RunConfig& config);

/// The config's own drafters and one for each kind.
std::vector<NamedDrafter> all_drafters(const RunConfig& config);

/// Its trees are those of axes.tree; the others have one of their own, or draft chains.
bool follows_tree_axis(const NamedDrafter& drafter);

/// @throws ConfigError with the position of that element of `tree`
void check_tree(const ConfigReader& reader, std::size_t index, const std::string& tree);

}  // namespace speclab::experiments
