#pragma once
// Prompt lookup by a scan of the text.

#include <algorithm>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines::testing {

struct SlowMatch {
  std::size_t length = 0, end = 0;
};

/// The longest end of at most `longest` tokens that occurs earlier too, and the index behind its
/// latest earlier occurrence.
inline SlowMatch slow_match(const std::vector<Token>& tokens, std::size_t longest) {
  if (tokens.empty()) return {};
  for (std::size_t n = std::min(longest, tokens.size() - 1); n > 0; --n) {
    const auto suffix = tokens.end() - static_cast<std::ptrdiff_t>(n);
    const auto match = std::find_end(tokens.begin(), tokens.end() - 1, suffix, tokens.end());
    if (match != tokens.end() - 1) return {n, static_cast<std::size_t>(match - tokens.begin()) + n};
  }
  return {};
}

}  // namespace speclab::engines::testing
