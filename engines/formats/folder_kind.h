#pragma once
// Folders that people give by mistake: adapters, quantised weights of other tools, caches.

#include <string>

namespace speclab::engines {

/// Refuses folders that are no model in Hugging Face's layout with weights as they are.
/// @throws ModelFileError naming what the folder is, and what to give instead
void refuse_other_folder(const std::string& folder);

/// Refuses a folder in Hugging Face's layout without weights that are read.
/// @throws ModelFileError naming the weights that it has instead, and what to do with them
[[noreturn]] void refuse_folder_without_weights(const std::string& folder);

}  // namespace speclab::engines
