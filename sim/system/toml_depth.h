#pragma once
#include <cstddef>
#include <string_view>

namespace speclab {

inline constexpr std::size_t kMaxTomlKeyParts = 64;

/// First line, from 1, with a dotted key of more than kMaxTomlKeyParts parts; 0 if there is none.
/// Parsers and the tables they make recurse once a part, so that a long enough key would overflow
/// the stack.
std::size_t too_deep_toml_line(std::string_view text);

}  // namespace speclab
