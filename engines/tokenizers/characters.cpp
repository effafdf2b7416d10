#include "engines/tokenizers/characters.h"

#include <utf8proc.h>

#include <algorithm>

#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

constexpr char32_t kNoCharacter = 0xFFFD;

char32_t decoded_character(std::string_view text) {
  utf8proc_int32_t character = -1;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4)),
                   &character);
  return character < 0 ? kNoCharacter : static_cast<char32_t>(character);
}

utf8proc_category_t category_of(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

std::size_t character_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

char32_t first_character(std::string_view text) { return decoded_character(text); }

char32_t last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && continues_a_character(text[begin])) --begin;
  return decoded_character(text.substr(begin));
}

void append_character(char32_t character, std::string& text) {
  utf8proc_uint8_t bytes[4];
  const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
}

bool is_white_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_mark(char32_t character) {
  const utf8proc_category_t category = category_of(character);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

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

void append_lower_case(char32_t character, std::string& text) {
  constexpr char32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;
  if (character == kCapitalIWithDot) {
    text += 'i';
    return append_character(kDotAbove, text);
  }
  append_character(
      static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character))), text);
}

std::string_view without_first_white_space(std::string_view text) {
  while (!text.empty() && is_white_space(first_character(text)))
    text.remove_prefix(character_length(text[0]));
  return text;
}

std::string_view without_final_white_space(std::string_view text) {
  while (!text.empty() && is_white_space(last_character(text))) {
    while (continues_a_character(text.back())) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return text;
}

std::string with_replaced_invalid_bytes(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = valid_utf8_prefix(text);
    valid += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) break;
    valid += kReplacementCharacter;
    text.remove_prefix(1);
  }
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

}  // namespace speclab::engines
