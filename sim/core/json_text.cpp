#include "sim/core/json_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace speclab {
namespace {

/// The place behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return std::min(at + 1, text.size());
}

template <typename Integer>
bool holds(std::string_view digits) {
  Integer value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  return read.ec == std::errc() && read.ptr == end;
}

bool fits_64_bits(std::string_view number) {
  return number.find_first_of(".eE+") != std::string_view::npos || holds<std::int64_t>(number) ||
         holds<std::uint64_t>(number);
}

}  // namespace

int json_depth(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
    at = c == '"' ? behind_string(text, at) : at + 1;
  }
  return deepest;
}

std::string_view integer_beyond_64_bits(std::string_view text) {
  constexpr std::string_view kOfNumbers = "+-.0123456789eE";
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = behind_string(text, at);
    } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      const std::size_t end = std::min(text.find_first_not_of(kOfNumbers, at), text.size());
      const std::string_view number = text.substr(at, end - at);
      if (!fits_64_bits(number)) return number;
      at = end;
    } else {
      ++at;
    }
  }
  return {};
}

}  // namespace speclab
