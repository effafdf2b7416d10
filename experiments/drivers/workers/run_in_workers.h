#pragma once
#include <functional>

#include "experiments/drivers/run/run_experiment.h"
#include "experiments/drivers/workers/shard.h"

namespace speclab::experiments {

/// A worker's side: measures what standard input names and says on standard output what became of
/// it.
/// @throws what measure_shard throws
void serve_shard(const Plan& plan, const RunOptions& options, int shard,
                 const OpenEngines& open_engines);

/// What the processes of a run do; each ends with its exit code. They are started from a process of
/// one thread that has no engines.
struct WorkerRoles {
  std::function<int()> prepare;        ///< comes to prepare_run
  std::function<int(int shard)> work;  ///< comes to serve_shard
};

/// As run_experiment, with options.workers processes that measure and one before them that
/// prepares. This process waits, and makes the files at the end. @param open_engines  for the
/// tokenizer only
RunOutcome run_in_workers(const Plan& plan, const RunOptions& options, const WorkerRoles& roles,
                          const OpenEngines& open_engines, Progress& progress);

/// Measures `rows`, as far as they are open, in one worker that is replaced if it dies: a task of a
/// job array.
void run_one_shard(const Plan& plan, const RunOptions& options, int shard,
                   const std::vector<std::size_t>& rows, const WorkerRoles& roles,
                   Progress& progress);

}  // namespace speclab::experiments
