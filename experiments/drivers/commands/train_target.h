#pragma once
#include "engines/interface/engines.h"
#include "experiments/drivers/commands/commands.h"

namespace speclab::experiments {

/// Checks the options that need no open model.
/// @throws ConfigError
void check_target_options(const TrainCommandOptions& options);

/// `speclab train --target`: a drafter for any target, with sizes chosen so that its training ends
/// within some minutes: 10 for n-grams, 60 for drafters with steps. The same call goes on with the
/// sizes that were chosen first.
/// @return the drafter's folder
/// @throws ConfigError, ModelFileError, and what Engines::train throws
std::string train_for_target_in_minutes(engines::Engines& engines,
                                        const TrainCommandOptions& options,
                                        const engines::TrainCallbacks& callbacks);

}  // namespace speclab::experiments
