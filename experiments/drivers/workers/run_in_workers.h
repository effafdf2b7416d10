#pragma once
// Several processes that measure one run, and the one that hands out the work.

#include <functional>
#include <string>
#include <vector>

#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/run/run_experiment.h"
#include "experiments/drivers/run/run_journals.h"
#include "experiments/drivers/workers/shard.h"

namespace speclab::experiments {

struct WorkerPoolOptions {
  RunOptions run;
  std::vector<int> shards;  ///< one process each
  /// Runs in the process of a worker and ends with its exit code; serve_shard (run_in_workers.h) is
  /// what it has to come to.
  std::function<int(int shard)> work;
};

/// Measures the generations in worker processes. A worker that ends by a signal, or does not answer
/// in time, costs the generation it had in hand, which becomes a failure; another one takes its
/// place. When this returns or throws, no worker is left.
/// @param log  of the run as it is now @param rows  to measure, in this order
/// @throws what check_interruption throws, within seconds; Error with a worker's exit code, whose
/// message is on standard error;
///         Error(internal) if workers die before they measure
void run_workers(const Plan& plan, const WorkerPoolOptions& options, const RunLog& log,
                 const std::vector<std::size_t>& rows, Progress& progress);

/// Runs `body` in a process of its own to its end. @throws what check_interruption throws, within
/// seconds; Error with its exit code
void run_in_process(const std::function<int()>& body, const BenchLimits& limits);

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
