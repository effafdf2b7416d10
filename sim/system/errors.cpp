#include "sim/system/errors.h"

#include <array>
#include <cstdio>

#include "sim/system/utf8.h"

namespace speclab {
namespace {

std::string hex_escape(unsigned char byte) {
  std::array<char, 5> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\x%02x", static_cast<unsigned>(byte));
  return buffer.data();
}

std::string escaped_character(std::string_view character) {
  switch (character[0]) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (!is_control(character)) return std::string(character);
  std::string escapes;
  for (const char byte : character) escapes += hex_escape(static_cast<unsigned char>(byte));
  return escapes;
}

}  // namespace

void throw_contract_error(const char* condition, const char* file, int line,
                          const std::string& message) {
  throw ContractError(std::string(file) + ":" + std::to_string(line) + ": " + message +
                      " (expected: " + condition + ")");
}

std::string escaped(std::string_view text, std::size_t max_length) {
  std::string out;
  while (!text.empty()) {
    const Utf8Head head = utf8_head(text);
    const bool whole = head.state == Utf8State::complete;
    const std::string piece = whole ? escaped_character(text.substr(0, head.length))
                                    : hex_escape(static_cast<unsigned char>(text[0]));
    if (out.size() + piece.size() > max_length) return out + "...";
    out += piece;
    text.remove_prefix(whole ? head.length : 1);
  }
  return out;
}

}  // namespace speclab
