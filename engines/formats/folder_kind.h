#pragma once
// Folders that people give by mistake: adapters, quantised weights of other tools, caches.

#include <string>

namespace speclab::engines {

/// Refuses folders that are no model in Hugging Face's layout with weights as they are.
/// @throws ModelFileError naming what the folder is, and what to give instead
void refuse_other_folder(const std::string& folder);

/// The name of a model by its path: the last part, or the model's own name for a snapshot of the
/// hub's cache, "models--ORG--NAME/snapshots/REVISION".
std::string model_name_of_path(const std::string& path);

}  // namespace speclab::engines
