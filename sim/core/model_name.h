#pragma once
#include <string>

namespace speclab {

/// The name of a model by its path: the last part, or the model's own name for a snapshot of the
/// hub's cache, "models--ORG--NAME/snapshots/REVISION". A name without a path is itself, and a
/// drafter's version, "NAME/v1", has the drafter's.
std::string model_name_of_path(const std::string& path);

}  // namespace speclab
