#pragma once
// Folders of drafters that `speclab train` made, by what their manifests say.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace speclab::experiments {

/// A drafter's page: kind, target, sizes and results. Empty if the path is no folder, or one whose
/// manifest tells of no drafter.
/// @param path  a drafter's folder, or a file in it
/// @throws DataError if the manifest cannot be read
std::optional<nlohmann::ordered_json> described_drafter(const std::string& path);

/// The folders below `folder` that hold a drafter, by name.
std::vector<std::string> drafter_folders(const std::string& folder);

}  // namespace speclab::experiments
