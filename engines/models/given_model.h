#pragma once
// Things that people give as a model and that are none: names of a hub, parts of a folder, paths
// that a shell should have expanded.

#include <string>
#include <vector>

namespace speclab::engines {

/// @param names  of the catalogue
/// @throws ConfigError that says why there is no such model, and what to give
[[noreturn]] void refuse_missing_model(const std::string& model,
                                       const std::vector<std::string>& names);

/// @param path  an existing file
/// @throws ConfigError if it is one of the files of a folder in Hugging Face's layout, naming the
/// folder
void refuse_part_of_folder(const std::string& path);

}  // namespace speclab::engines
