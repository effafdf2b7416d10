#pragma once
#include <string>

#include "experiments/drivers/config/config_tree.h"

namespace speclab::experiments {

/// A path of a config as one that holds in any folder: a path in a file is relative to the file, in
/// an option to the working directory, and `~` begins the user's folder. A text without a slash is a name and stays, and so does one
/// whose folder is not there, which is told where it is used.
/// @param where  the value stands
std::string path_from(const ConfigPlace& where, const std::string& given);

/// Makes the paths of a training's config relative to the working directory: those in the file are
/// relative to it.
void resolve_train_paths(ConfigNode& root);

/// Makes whole paths of the values of a run's config that may be paths: models, prompts and pilots.
void resolve_run_paths(ConfigNode& root);

}  // namespace speclab::experiments
