#pragma once
#include <functional>
#include <string>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/run/progress.h"
#include "experiments/drivers/run/run_lock.h"
#include "experiments/drivers/run/run_log.h"

namespace speclab::experiments {

struct RunOptions {
  std::string folder;
  bool repair = false;                               ///< a damaged journal is put aside and what it lost measured anew; changed files are written again
  NetworkFolder network_folder = NetworkFolder::refused;
  std::function<void()> check_interruption = [] {};  ///< throws to stop between generations
};

enum class RunOutcome : std::uint8_t { completed, was_complete };

/// Runs a plan in its folder, or what is left of it. Nothing is written before the engines have loaded all that the plan
/// needs; whatever stops it, the files hold what was measured and the same call goes on from there.
/// @param open_engines  called only if there is something to do
/// @throws LockedError, DriftError, DataError (a damaged journal), WriteError, what the engines throw, and what
///         check_interruption throws
RunOutcome run_experiment(const Plan& plan, const RunOptions& options, const std::function<std::unique_ptr<engines::Engines>()>& open_engines, Progress& progress);

}  // namespace speclab::experiments
