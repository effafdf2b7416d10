#pragma once
// The settings of a training that was chosen by minutes. They stand in the drafter's folder while
// the training lasts, so that the same command goes on with them, whatever the machine's speed is
// by then.

#include <string>

#include "experiments/drivers/config/train_config.h"

namespace speclab::experiments {

/// A config of `speclab train` in the drafter's folder.
std::string begun_file(const std::string& folder);

/// Whether a training of this call was begun in the folder.
/// @param call  the command that chose the settings, in one line
/// @param replaces  what another call began
/// @throws ConfigError if another call began one there, DataError if that cannot be read
bool was_begun(const std::string& folder, const std::string& call, bool replaces);

/// @param forecast  in one line
/// @throws WriteError
void write_begun(const std::string& folder, const std::string& call, const std::string& forecast,
                 TrainConfig config);

/// The file becomes train.toml, which shows what made the drafter. @throws WriteError
void end_begun(const std::string& folder);

}  // namespace speclab::experiments
