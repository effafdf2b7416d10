#include "sim/core/errors.h"

#include <array>
#include <cstdio>

namespace speclab {
namespace {

/// Bytes of the UTF-8 sequence that begins at text[0], 0 if there is none (overlong forms and surrogates included).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && continues(1)) return 2;
  if ((first & 0xF0U) == 0xE0U && continues(1) && continues(2)) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4 && continues(1) && continues(2) && continues(3)) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond_unicode = first == 0xF4 && byte(1) >= 0x90;
    return overlong || beyond_unicode ? 0 : 4;
  }
  return 0;
}

std::string hex_escape(unsigned char byte) {
  std::array<char, 5> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\x%02x", static_cast<unsigned>(byte));
  return buffer.data();
}

std::string escaped_character(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  const bool c1_control = character.size() == 2 && byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  if (c1_control) return hex_escape(byte) + hex_escape(static_cast<unsigned char>(character[1]));
  switch (character[0]) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    case '"': return "\\\"";
    case '\\': return "\\\\";
    default: return byte < 0x20 || byte == 0x7F ? hex_escape(byte) : std::string(character);
  }
}

}  // namespace

void throw_contract_error(const char* condition, const char* file, int line, const std::string& message) {
  throw ContractError(std::string(file) + ":" + std::to_string(line) + ": " + message + " (expected: " + condition + ")");
}

std::string escaped(std::string_view text, std::size_t max_length) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string piece =
        length == 0 ? hex_escape(static_cast<unsigned char>(text[0])) : escaped_character(text.substr(0, length));
    if (out.size() + piece.size() > max_length) return out + "...";
    out += piece;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace speclab
