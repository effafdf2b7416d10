#include "sim/system/utf8.h"

#include <algorithm>
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

}  // namespace speclab
