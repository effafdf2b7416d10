#pragma once
#include <string>

namespace speclab {

/// The path with "~" or "~USER" at its beginning replaced by that user's home folder, as a shell
/// does it. A path without them stays, and so does one of a user who is not known.
std::string expanded_home(const std::string& path);

}  // namespace speclab
