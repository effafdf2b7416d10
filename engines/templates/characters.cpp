#include "engines/templates/characters.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <functional>
#include <unordered_set>

#include "sim/system/utf8.h"

namespace speclab::templates {
namespace {

/// Takes the first character off a text that is not empty.
char32_t take_first(std::string_view& rest) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(rest[i]));
  };
  const char32_t head = byte(0);
  const std::size_t length = head < 0x80 ? 1 : head < 0xE0 ? 2 : head < 0xF0 ? 3 : 4;
  char32_t character = length == 1 ? head : head & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = (character << 6) | (byte(i) & 0x3Fu);
  rest.remove_prefix(length);
  return character;
}

char32_t last_of(std::string_view text, std::size_t& length) {
  length = 1;
  while ((static_cast<unsigned char>(text[text.size() - length]) & 0xC0) == 0x80) ++length;
  std::string_view character = text.substr(text.size() - length);
  return take_first(character);
}

icu::UnicodeString utf16(std::string_view text) {
  return icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
}

std::string utf8(const icu::UnicodeString& text) {
  std::string bytes;
  text.toUTF8String(bytes);
  return bytes;
}

UChar32 icu_character(char32_t character) { return static_cast<UChar32>(character); }

std::int32_t numeric_type(char32_t character) {
  return u_getIntPropertyValue(icu_character(character), UCHAR_NUMERIC_TYPE);
}

std::string title_of(char32_t character) {
  std::string text;
  append_utf8(text, character);
  icu::UnicodeString title = utf16(text);
  return utf8(title.toTitle(nullptr, icu::Locale::getRoot(), U_TITLECASE_NO_LOWERCASE));
}

/// Bytes of the first so many characters. @param count  at most as many as there are
std::size_t length_of_first(std::string_view text, std::size_t count) {
  std::size_t length = 0;
  for (; count > 0; --count) {
    const auto head = static_cast<unsigned char>(text[length]);
    length += head < 0x80 ? 1 : head < 0xE0 ? 2 : head < 0xF0 ? 3 : 4;
  }
  return length;
}

std::string_view stripped(std::string_view text, Side side,
                          const std::function<bool(char32_t)>& goes) {
  while (side != Side::right && !text.empty()) {
    std::string_view rest = text;
    if (!goes(take_first(rest))) break;
    text = rest;
  }
  while (side != Side::left && !text.empty()) {
    std::size_t length = 0;
    if (!goes(last_of(text, length))) break;
    text.remove_suffix(length);
  }
  return text;
}

}  // namespace

std::u32string code_points(std::string_view utf8) {
  std::u32string characters;
  characters.reserve(utf8.size());
  while (!utf8.empty()) characters.push_back(take_first(utf8));
  return characters;
}

void append_utf8(std::string& text, char32_t character) {
  const auto add = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xC0 | (character >> 6));
  } else if (character < 0x10000) {
    add(0xE0 | (character >> 12));
    add(0x80 | ((character >> 6) & 0x3F));
  } else {
    add(0xF0 | (character >> 18));
    add(0x80 | ((character >> 12) & 0x3F));
    add(0x80 | ((character >> 6) & 0x3F));
  }
  add(0x80 | (character & 0x3F));
}

std::string utf8_of(std::u32string_view characters) {
  std::string text;
  for (const char32_t character : characters) append_utf8(text, character);
  return text;
}

bool is_valid_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

std::size_t count_characters(std::string_view utf8) {
  std::size_t count = 0;
  for (const char byte : utf8) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

std::string_view characters_between(Rendering& rendering, const Text& text, std::size_t begin,
                                    std::size_t end) {
  const std::string_view bytes = text.bytes;
  if (begin >= end) return {};
  if (text.is_ascii()) return bytes.substr(begin, end - begin);
  const std::size_t first = length_of_first(bytes, begin);
  std::string_view part = bytes.substr(first);
  if (end < text.num_characters) part = part.substr(0, length_of_first(part, end - begin));
  constexpr std::size_t kStride =
      8;  // a step from character to character takes so many bytes' time
  rendering.step_bytes(kStride * (end < text.num_characters ? first + part.size() : first));
  return part;
}

/// @source Unicode: bidirectional types WS, B and S, and the category Zs
bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_alphabetic(char32_t character) { return u_isalpha(icu_character(character)); }
bool is_digit(char32_t character) {
  const std::int32_t type = numeric_type(character);
  return type == U_NT_DECIMAL || type == U_NT_DIGIT;
}
bool is_decimal(char32_t character) { return numeric_type(character) == U_NT_DECIMAL; }
bool is_numeric(char32_t character) { return numeric_type(character) != U_NT_NONE; }
bool is_upper(char32_t character) { return u_isUUppercase(icu_character(character)); }
bool is_lower(char32_t character) { return u_isULowercase(icu_character(character)); }
bool is_title(char32_t character) { return u_istitle(icu_character(character)); }
bool is_cased(char32_t character) {
  return u_hasBinaryProperty(icu_character(character), UCHAR_CASED);
}

bool is_shown_by_repr(char32_t character) {
  constexpr std::uint32_t kHidden =
      U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CS_MASK | U_GC_CO_MASK | U_GC_CN_MASK | U_GC_Z_MASK;
  return character == ' ' || !(U_GET_GC_MASK(icu_character(character)) & kHidden);
}

std::string uppercase(std::string_view text) {
  return utf8(utf16(text).toUpper(icu::Locale::getRoot()));
}
std::string lowercase(std::string_view text) {
  return utf8(utf16(text).toLower(icu::Locale::getRoot()));
}
std::string casefolded(std::string_view text) { return utf8(utf16(text).foldCase()); }

std::string titlecase(std::string_view text) {
  std::string title;
  std::string run;  // the cased characters behind the first of a word
  const auto end_run = [&] {
    title += lowercase(run);
    run.clear();
  };
  bool is_behind_cased = false;
  while (!text.empty()) {
    const char32_t character = take_first(text);
    if (is_behind_cased) {
      append_utf8(run, character);
    } else {
      end_run();
      title += title_of(character);
    }
    is_behind_cased = is_cased(character);
    if (!is_behind_cased) end_run();
  }
  end_run();
  return title;
}

std::string capitalised(std::string_view text) {
  if (text.empty()) return "";
  const char32_t first = take_first(text);
  return title_of(first) + lowercase(text);
}

std::string_view without_spaces(std::string_view text, Side side) {
  return stripped(text, side, is_space);
}
std::string_view without_characters(std::string_view text, std::u32string_view set, Side side) {
  const std::unordered_set<char32_t> members(set.begin(), set.end());
  return stripped(text, side, [&](char32_t character) { return members.contains(character); });
}

}  // namespace speclab::templates
