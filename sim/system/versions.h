#pragma once
// Versions of a trained drafter: the folders v1, v2, ... in the drafter's folder.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab {

/// The numbers of the versions in a folder, in rising order.
std::vector<std::int64_t> versions_in(const std::string& folder);

std::string version_folder(const std::string& folder, std::int64_t version);

/// The number that a path of a version ends with; 0 if it ends with none.
std::int64_t version_of_path(const std::string& path);

/// "smollm2-mlp/v1" of a path of a version; empty for other paths.
std::string version_name(const std::string& path);

/// The folder that a path means: a drafter's folder means its newest version with weights. Files,
/// versions, and folders that hold a model themselves mean themselves.
/// @throws ConfigError for a version whose weights were removed, with their SHA-256 and the newest
/// version that has some
std::string newest_version(const std::string& path);

/// Whether a training ended here. Removed weights change nothing.
bool is_finished_drafter(const std::string& folder);

/// The folder that a training writes: the unfinished version, or the next one. A folder that holds
/// a drafter itself, finished or not, stays the drafter's.
std::string training_folder(const std::string& folder);

}  // namespace speclab
