#pragma once
#include "experiments/drivers/run/run_experiment.h"
#include "experiments/drivers/workers/shard.h"

namespace speclab::experiments {

/// A worker's side: measures what standard input names and says on standard output what became of
/// it.
/// @throws what measure_shard throws
void serve_shard(const Plan& plan, const RunOptions& options, int shard,
                 const OpenEngines& open_engines);

}  // namespace speclab::experiments
