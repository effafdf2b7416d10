#include "engines/templates/characters.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "sim/system/utf8.h"

namespace speclab::templates {
namespace {

/// Takes the first character off a text that is not empty.
char32_t take_first(std::string_view& rest) {
  const char32_t character = first_character(rest);
  rest.remove_prefix(character_length(rest[0]));
  return character;
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
  icu::UnicodeString title = utf16(utf8_of(character));
  return utf8(title.toTitle(nullptr, icu::Locale::getRoot(), U_TITLECASE_NO_LOWERCASE));
}

/// Bytes of the first so many characters. @param count  at most as many as there are
std::size_t length_of_first(std::string_view text, std::size_t count) {
  std::size_t length = 0;
  for (; count > 0; --count) length += character_length(text[length]);
  return length;
}

std::string_view stripped(std::string_view text, Side side,
                          const std::function<bool(char32_t)>& goes) {
  while (side != Side::right && !text.empty() && goes(first_character(text)))
    text.remove_prefix(character_length(text[0]));
  while (side != Side::left && !text.empty() && goes(last_character(text))) {
    while (continues_character(text.back())) text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return text;
}

constexpr std::size_t kNowhere = std::string_view::npos;
/// The cost of a place whose first character agrees, in bytes that are read in the same time.
constexpr std::size_t kPlaceBytes = 16;

/// Bytes of a search, handed to the rendering before there are many of them.
class SearchedBytes {
 public:
  explicit SearchedBytes(Rendering& rendering) : rendering_(rendering) {}
  void add(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < 1024) return;
    rendering_.step_bytes(bytes_);
    bytes_ = 0;
  }
  /// A search for the nearest byte takes a step too.
  void finish() { rendering_.step(1 + bytes_ / 64); }

 private:
  Rendering& rendering_;
  std::size_t bytes_ = 0;
};

std::size_t num_equal(std::string_view text, std::string_view sought) {
  return static_cast<std::size_t>(std::ranges::mismatch(sought, text).in1 - sought.begin());
}

}  // namespace

std::size_t count_characters(std::string_view utf8) {
  return utf8.size() - static_cast<std::size_t>(std::ranges::count_if(utf8, continues_character));
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
bool is_space(char32_t c) { return (c >= 28 && c <= 31) || is_white_space(c); }

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

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
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
      append_utf8(character, run);
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

std::size_t found_from_left(Rendering& rendering, std::string_view text, std::string_view sought,
                            std::size_t first) {
  if (sought.empty() || first > text.size() || sought.size() > text.size() - first)
    return text.find(sought, first);
  SearchedBytes searched(rendering);
  const std::string_view places = text.substr(0, text.size() - sought.size() + 1);
  std::size_t found = kNowhere;
  while (found == kNowhere && first < places.size()) {
    const std::size_t place = std::min(places.find(sought[0], first), places.size());
    searched.add(place - first);
    if (place == places.size()) break;
    const std::size_t equal = num_equal(text.substr(place), sought);
    searched.add(kPlaceBytes + equal);
    if (equal == sought.size()) found = place;
    first = place + 1;
  }
  searched.finish();
  return found;
}

std::size_t found_from_right(Rendering& rendering, std::string_view text, std::string_view sought) {
  if (sought.empty() || sought.size() > text.size()) return text.rfind(sought);
  SearchedBytes searched(rendering);
  std::size_t found = kNowhere;
  for (std::size_t end = text.size() - sought.size() + 1; found == kNowhere && end > 0;) {
    const std::size_t place = text.substr(0, end).rfind(sought[0]);
    searched.add(end - (place == kNowhere ? 0 : place));
    if (place == kNowhere) break;
    const std::size_t equal = num_equal(text.substr(place), sought);
    searched.add(kPlaceBytes + equal);
    if (equal == sought.size()) found = place;
    end = place;
  }
  searched.finish();
  return found;
}

}  // namespace speclab::templates
