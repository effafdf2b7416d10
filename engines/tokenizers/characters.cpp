#include "engines/tokenizers/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

utf8proc_category_t category_of(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

constexpr std::size_t kNumCharacters = 0x144;  // the alphabet's highest character is U+0143

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

}  // namespace

bool is_word_character(char32_t character) {
  const utf8proc_category_t category = category_of(character);
  const bool is_circled_letter = (character >= 0x24B6 && character <= 0x24E9) ||
                                 (character >= 0x1F130 && character <= 0x1F149) ||
                                 (character >= 0x1F150 && character <= 0x1F169) ||
                                 (character >= 0x1F170 && character <= 0x1F189);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC || character == 0x200C || character == 0x200D ||
         is_circled_letter;
}

std::string_view without_first_white_space(std::string_view text) {
  while (!text.empty() && is_white_space(first_character(text)))
    text.remove_prefix(character_length(text[0]));
  return text;
}

std::string_view without_final_white_space(std::string_view text) {
  while (!text.empty() && is_white_space(last_character(text))) {
    while (continues_character(text.back())) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return text;
}

std::string with_replaced_invalid_bytes(std::string_view text) {
  std::string valid;
  visit_stretches(
      text, [&valid](std::string_view stretch) { valid += stretch; },
      [&valid](std::string_view) { valid += kReplacementCharacter; });
  return valid;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view by) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(from, at);
    result += text.substr(at, next - at);
    if (next == std::string_view::npos) return result;
    result += by;
    at = next + from.size();
  }
}

std::optional<std::string> bytes_of_token_text(std::string_view text) {
  static const std::array<int, kNumCharacters> byte_of = make_alphabet();
  std::string bytes;
  while (!text.empty()) {
    const char32_t character = first_character(text);
    const int byte = character < kNumCharacters ? byte_of[character] : -1;
    if (byte < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
    text.remove_prefix(character_length(text[0]));
  }
  return bytes;
}

}  // namespace speclab::engines
