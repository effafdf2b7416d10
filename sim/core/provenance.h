#pragma once
#include <string>
#include <utility>
#include <vector>

namespace speclab {

/// The origin of a file: keys and their texts, in the order in which they are written.
using Provenance = std::vector<std::pair<std::string, std::string>>;

}  // namespace speclab
