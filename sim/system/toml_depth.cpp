#include "sim/system/toml_depth.h"

#include <algorithm>
#include <string>

namespace speclab {
namespace {

/// End of the string or comment that begins at `at`, or `at` if none does.
std::size_t skipped(std::string_view text, std::size_t at) {
  const auto after = [&](std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? text.size() : found + length;
  };
  const char c = text[at];
  if (c == '#') return after(text.find('\n', at), 0);
  if (c != '"' && c != '\'') return at;
  const std::string triple(3, c);
  if (text.substr(at, 3) == triple) return after(text.find(triple, at + 3), 3);
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != c && text[end] != '\n')
    end += c == '"' && text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

}  // namespace

std::size_t too_deep_toml_line(std::string_view text) {
  constexpr std::string_view kEndsAKey = ",=[]{}\n";
  std::size_t line = 1, dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = skipped(text, at); end > at) {
      for (; at < end; ++at) line += text[at] == '\n' ? 1 : 0;
      continue;
    }
    if (text[at] == '.' && ++dots >= kMaxTomlKeyParts) return line;
    if (kEndsAKey.find(text[at]) != std::string_view::npos) dots = 0;
    line += text[at++] == '\n' ? 1 : 0;
  }
  return 0;
}

}  // namespace speclab
