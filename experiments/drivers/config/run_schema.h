#pragma once
#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/toml/schema.h"

namespace speclab::experiments {

/// The keys of an experiment's config, but those of [drafters.NAME], [[zip]] and [[exclude]].
const std::vector<Key<RunConfig>>& run_keys();
/// The keys of a table [drafters.NAME].
const std::vector<Key<NamedDrafter>>& drafter_keys();
/// All of them with their defaults, as the reference lists them.
std::vector<DescribedKey> described_run_keys();

}  // namespace speclab::experiments
