#pragma once
#include <functional>
#include <string>

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

/// The run that a config may go on with.
struct BegunRun {
  std::string folder;
  bool allow_mixed = false;  ///< another target under a known name is no error
};

/// Lets a run go on with models that lie elsewhere now: a target gets the name that the run
/// knows it by, a drafter the path. Models are compared by their digests, and only those
/// that the run does not know as they are given.
/// @param note  told of a target.name that does not hold
/// @throws DriftError if a target at another path is another model than the run's of this name;
/// what the engines throw for a model that is not there
void adopt_names_of_run(RunConfig& config, const BegunRun& run, const OpenEngines& open_engines,
                        const std::function<void(const std::string&)>& note);

}  // namespace speclab::experiments
