#include "engines/tokenizers/byte_level.h"

#include <array>

#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

constexpr int kNumCharacters = 0x144;  // the alphabet's highest character is U+0143

bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

/// Byte of each character, or -1. Bytes that do not stand for themselves have the characters from
/// U+0100 on, in order.
std::array<int, kNumCharacters> make_alphabet() {
  std::array<int, kNumCharacters> byte_of;
  byte_of.fill(-1);
  int next = 0x100;
  for (int byte = 0; byte < 256; ++byte)
    byte_of[static_cast<std::size_t>(stands_for_itself(byte) ? byte : next++)] = byte;
  return byte_of;
}

/// The character of one or two bytes at the start, or -1.
int short_code_point(std::string_view text, std::size_t length) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (length == 1) return first;
  return length == 2 ? (first & 0x1F) << 6 | (static_cast<unsigned char>(text[1]) & 0x3F) : -1;
}

}  // namespace

std::optional<std::string> bytes_of_token_text(std::string_view text) {
  static const std::array<int, kNumCharacters> byte_of = make_alphabet();
  std::string bytes;
  while (!text.empty()) {
    const Utf8Head head = utf8_head(text);
    const int code_point =
        head.state == Utf8State::complete ? short_code_point(text, head.length) : -1;
    if (code_point < 0 || code_point >= kNumCharacters ||
        byte_of[static_cast<std::size_t>(code_point)] < 0)
      return std::nullopt;
    bytes.push_back(static_cast<char>(byte_of[static_cast<std::size_t>(code_point)]));
    text.remove_prefix(head.length);
  }
  return bytes;
}

}  // namespace speclab::engines
