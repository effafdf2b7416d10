#include "sim/system/table_text.h"

#include <array>
#include <cstdio>

#include "sim/system/utf8.h"

namespace speclab {
namespace {

std::string problem_at(const char* what, std::string_view text, std::size_t at) {
  std::array<char, 96> line{};
  std::snprintf(line.data(), line.size(), "%s (byte 0x%02x) at byte %zu", what,
                static_cast<unsigned>(static_cast<unsigned char>(text[at])), at + 1);
  return line.data();
}

}  // namespace

std::string table_text_problem(std::string_view text) {
  if (text.size() > kLongestTableText) return std::to_string(text.size()) + " bytes";
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Head head = utf8_head(text.substr(at));
    if (head.state != Utf8State::complete) return problem_at("no UTF-8", text, at);
    if (is_control(text.substr(at, head.length)))
      return problem_at("a control character", text, at + head.length - 1);
    at += head.length;
  }
  return "";
}

}  // namespace speclab
