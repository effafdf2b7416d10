#pragma once
#include <string>

namespace speclab::engines {

/// Compares weights with what the manifest.json that a training left beside them says, for a
/// flipped bit of a weight is a valid file. Folders without one of ours, which has `kind` and
/// `sha256`, pass.
/// @param file   of the weights, in the folder
/// @param found  their SHA-256
/// @throws ModelFileError if the manifest tells another one, or is no JSON
void check_recorded_digest(const std::string& folder, const std::string& file,
                           const std::string& found);

}  // namespace speclab::engines
