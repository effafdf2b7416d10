#pragma once
#include <functional>
#include <memory>
#include <string>

#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/program/run_lock.h"

namespace speclab::experiments {

using OpenEngines = std::function<std::unique_ptr<engines::Engines>()>;

struct RunOptions {
  std::string folder;
  bool repair = false;  ///< a damaged journal is put aside and what it lost measured anew; changed
                        ///< files are written again
  bool retry_failed =
      false;  ///< generations that failed as often as they are tried are tried once more
  bool allow_mixed = false;  ///< another program, machine, device, number format or model bytes go
                             ///< on with what is missing, in a section of their own
  NetworkFolder network_folder = NetworkFolder::refused;
  BenchLimits limits{};
  int workers = 1;  ///< processes that share the measuring, as the manifest says
  int threads = 0;  ///< of this process; 0: as the config says
};

enum class RunOutcome : std::uint8_t { completed, was_complete };

/// Runs a plan in its folder, or what is left of it: what the folder has of the same work, also
/// from a config that was edited since, stays. Nothing is written before the engines have loaded
/// all that the plan needs; whatever stops it, the files hold what was measured and the same call
/// goes on from there. A generation that fails is an entry of the log and a row of failures.csv;
/// the others go on.
/// @param open_engines  called only if there is something to do
/// @throws LockedError, DriftError, DataError (a damaged journal), WriteError, what the engines
/// throw, and what
///         check_interruption throws
RunOutcome run_experiment(const Plan& plan, const RunOptions& options,
                          const OpenEngines& open_engines, Progress& progress);

/// Writes what a run that ends early has measured; an error there is noted, and does not take the
/// place of what ended the run.
void salvage(Progress& progress, const std::function<void()>& write_tables);

/// Measures what all generations need (pilots, costs, predictions) into the run's journal, as far
/// as it is not there: shards go on from it, so that `auto` weighs the same costs in each. @throws
/// what run_experiment throws
void prepare_run(const Plan& plan, const RunOptions& options, const OpenEngines& open_engines,
                 Progress& progress);

/// Makes the files of a run from its journals, whatever they hold, and ends it where nothing is
/// left to measure.
/// @throws what run_experiment throws
void merge_run(const Plan& plan, const RunOptions& options, const OpenEngines& open_engines);

}  // namespace speclab::experiments
