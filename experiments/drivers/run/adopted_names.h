#pragma once
#include <functional>
#include <string>

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

/// Gives models of a config the names that the run in `folder` knows them by, so that the run goes
/// on if a model lies elsewhere now under another name. Models are compared by their digests, and
/// only those of a name that the run does not have.
/// @param note  told of a name of the config that does not hold
/// @throws what the engines throw for a model that is not there
void adopt_names_of_run(RunConfig& config, const std::string& folder,
                        const OpenEngines& open_engines,
                        const std::function<void(const std::string&)>& note);

}  // namespace speclab::experiments
