#pragma once
#include <string>

#include "experiments/drivers/toml/config_tree.h"

namespace speclab::experiments {

/// The path that a config's value means, in every working directory. In a file it is relative to
/// the file, in an option to the working directory; `~` begins the user's home. A text without a
/// slash is a name and stays, and so does a hub's ORG/NAME.
/// @param where  place of the value in the config
std::string path_from(const ConfigPlace& where, const std::string& given);

/// Makes the paths of a training's config relative to the working directory: those in the file are
/// relative to it.
void resolve_train_paths(ConfigNode& root);

/// Makes whole paths of the values of a run's config that may be paths: models, prompts and pilots.
void resolve_run_paths(ConfigNode& root);

}  // namespace speclab::experiments
