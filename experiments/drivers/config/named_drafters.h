#pragma once
// The drafters of an experiment's config: [drafters.NAME].

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/toml/config_reader.h"

namespace speclab::experiments {

/// @param table  [drafters]
void read_drafters(const ConfigNode& table, RunConfig& config, Findings& findings);

/// The config's own drafters and one for each kind.
std::vector<NamedDrafter> all_drafters(const RunConfig& config);

/// One of a mixture's.
struct PartName {
  std::string drafter;
  double weight = 1.0;
};
/// @param text  "NAME" or "NAME:WEIGHT" @throws ConfigError unless engines::is_part_weight(WEIGHT)
PartName parse_part(const std::string& text);

/// The config's drafters that `names` need: these, and the parts of mixtures.
std::vector<NamedDrafter> drafters_needed(const RunConfig& config, std::vector<std::string> names);

/// Its trees are those of axes.tree; the others have one of their own, or draft chains.
bool follows_tree_axis(const NamedDrafter& drafter);

/// Refuses an element of `tree` that is no shape.
void check_tree(const ConfigReader& reader, std::size_t index, const std::string& tree);

}  // namespace speclab::experiments
