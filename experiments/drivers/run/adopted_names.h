#pragma once
#include <functional>
#include <string>

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

/// Lets a run go on with models that lie elsewhere now: a target gets the name that the run in
/// `folder` knows it by, a drafter the path. Models are compared by their digests, and only those
/// that the run does not know as they are given.
/// @param note  told of a target.name that does not hold
/// @throws DriftError if a target at another path is another model than the run's of this name;
/// what the engines throw for a model that is not there
void adopt_names_of_run(RunConfig& config, const std::string& folder,
                        const OpenEngines& open_engines,
                        const std::function<void(const std::string&)>& note);

}  // namespace speclab::experiments
