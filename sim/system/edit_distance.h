#pragma once
#include <cstddef>
#include <string_view>

namespace speclab {

/// Smallest number of insertions, deletions and replacements that turns one word into the other.
/// @source Levenshtein 1966
std::size_t edit_distance(std::string_view from, std::string_view to);

}  // namespace speclab
