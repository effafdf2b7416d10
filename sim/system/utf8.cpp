#include "sim/system/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace speclab {
namespace {

struct Lead {
  std::size_t length;  // 0: no character begins with this byte
  unsigned char second_min;
  unsigned char second_max;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte < 0xF0)
    return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  if (byte < 0xF5)
    return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
  return {0, 0, 0};
}

/// Bytes at the start, at most eight a step, that are ASCII.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t length = 0;
  for (std::uint64_t word; length + sizeof(word) <= text.size(); length += sizeof(word)) {
    std::memcpy(&word, text.data() + length, sizeof(word));
    if ((word & 0x8080808080808080U) != 0) break;
  }
  return length;
}

std::string problem_at(const char* what, std::string_view text, std::size_t at) {
  std::array<char, 96> line{};
  std::snprintf(line.data(), line.size(), "%s (byte 0x%02x) at byte %zu", what,
                static_cast<unsigned>(static_cast<unsigned char>(text[at])), at + 1);
  return line.data();
}

}  // namespace

Utf8Head utf8_head(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.length == 0) return {Utf8State::invalid, 1};
  for (std::size_t i = 1; i < std::min(lead.length, text.size()); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool continues =
        i == 1 ? byte >= lead.second_min && byte <= lead.second_max : (byte & 0xC0U) == 0x80;
    if (!continues) return {Utf8State::invalid, i};
  }
  if (text.size() < lead.length) return {Utf8State::unfinished, text.size()};
  return {Utf8State::complete, lead.length};
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    length += ascii_prefix(text.substr(length));
    if (length == text.size()) break;
    const Utf8Head head = utf8_head(text.substr(length));
    if (head.state != Utf8State::complete) break;
    length += head.length;
  }
  return length;
}

char32_t first_character(std::string_view text) {
  const Utf8Head head = utf8_head(text);
  if (head.state != Utf8State::complete) return U'\uFFFD';
  const auto lead = static_cast<unsigned char>(text[0]);
  char32_t character = head.length == 1 ? lead : lead & 0xFFU >> (head.length + 1);
  for (const char byte : text.substr(1, head.length - 1))
    character = character << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  return character;
}

char32_t last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && continues_character(text[begin])) --begin;
  return first_character(text.substr(begin));
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    characters.push_back(first_character(text));
    text.remove_prefix(std::min(text.size(), character_length(text[0])));
  }
  return characters;
}

void append_utf8(char32_t character, std::string& text) {
  const auto continued = [character](int shift) {
    return static_cast<char>(0x80 | (character >> shift & 0x3F));
  };
  if (character < 0x80)
    text += static_cast<char>(character);
  else if (character < 0x800)
    text += {static_cast<char>(0xC0 | character >> 6), continued(0)};
  else if (character < 0x10000)
    text += {static_cast<char>(0xE0 | character >> 12), continued(6), continued(0)};
  else
    text += {static_cast<char>(0xF0 | character >> 18), continued(12), continued(6), continued(0)};
}

std::string utf8_of(std::u32string_view characters) {
  std::string text;
  for (const char32_t character : characters) append_utf8(character, text);
  return text;
}

bool is_white_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_control(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  const bool is_c1 =
      character.size() == 2 && byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  return is_c1 || byte < 0x20 || byte == 0x7F;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const Utf8Head head = utf8_head(text);
    if (head.state != Utf8State::complete || is_control(text.substr(0, head.length))) return false;
    text.remove_prefix(head.length);
  }
  return true;
}

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
