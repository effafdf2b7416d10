#pragma once
// Things that people give as a model and that are none: names of a hub, parts of a folder, paths
// that a shell should have expanded.

#include <string>
#include <vector>

namespace speclab::engines {

/// A model of the catalogue.
struct NamedModel {
  std::string name;
  std::string description{};  ///< its maker's name, then more behind a comma
  std::string fetched_by{};   ///< the command that brings its file
};

/// @throws ConfigError that says why there is no such model, and what to give
[[noreturn]] void refuse_missing_model(const std::string& model,
                                       const std::vector<NamedModel>& known);

/// @param path  an existing file
/// @throws ConfigError if it is one of the files of a folder in Hugging Face's layout, naming the
/// folder; ModelFileError if the folder is an adapter's
void refuse_part_of_folder(const std::string& path);

}  // namespace speclab::engines
