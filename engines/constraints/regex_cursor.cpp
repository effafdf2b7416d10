#include "engines/constraints/regex_cursor.h"

#include <fmt/format.h>

#include "engines/constraints/regex_reader.h"
#include "engines/constraints/utf8_bytes.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

const CharacterSet kDigits{{U'0', U'9'}};
const CharacterSet kWord{{U'0', U'9'}, {U'A', U'Z'}, {U'_', U'_'}, {U'a', U'z'}};

std::optional<CharacterSet> set_of_letter(char32_t letter, const CharacterSet& blanks) {
  switch (letter) {
    case U'd':
      return kDigits;
    case U'D':
      return kDigits.complement();
    case U'w':
      return kWord;
    case U'W':
      return kWord.complement();
    case U's':
      return blanks;
    case U'S':
      return blanks.complement();
    default:
      return std::nullopt;
  }
}

std::optional<char32_t> control_of_letter(char32_t letter) {
  switch (letter) {
    case U'n':
      return U'\n';
    case U'r':
      return U'\r';
    case U't':
      return U'\t';
    case U'f':
      return U'\f';
    case U'v':
      return U'\v';
    default:
      return std::nullopt;
  }
}

bool is_letter_or_digit(char32_t character) {
  return character != U'_' && kWord.contains(character);
}

/// The only character of a set; nothing if it has several.
std::optional<char32_t> only_of(const CharacterSet& set) {
  const auto& ranges = set.ranges();
  const bool is_one = ranges.size() == 1 && ranges[0].first == ranges[0].last;
  return is_one ? std::optional(ranges[0].first) : std::nullopt;
}

}  // namespace

RegexCursor::RegexCursor(std::string_view text, const CharacterSet& blanks, const std::string& name)
    : name_(name), blanks_(blanks) {
  if (text.size() > kMostRegexBytes)
    throw ConfigError(
        fmt::format("{} has {} bytes; allowed: at most {}", name, text.size(), kMostRegexBytes));
  auto characters = characters_of(text);
  if (!characters) throw ConfigError(fmt::format("{} is no valid UTF-8; allowed: UTF-8", name));
  characters_ = std::move(*characters);
}

bool RegexCursor::take(char32_t character) {
  const bool is_there = sees(character);
  next_ += is_there;
  return is_there;
}

char32_t RegexCursor::take_any(const char* wanted) {
  if (at_end()) fail("the end of the expression", wanted);
  return characters_[next_++];
}

std::optional<std::int32_t> RegexCursor::take_number() {
  std::optional<std::int32_t> number;
  for (; !at_end() && kDigits.contains(characters_[next_]); ++next_) {
    number = number.value_or(0) * 10 + static_cast<std::int32_t>(characters_[next_] - U'0');
    if (*number > kMostRepetitions) fail("a number above 100000", "numbers up to it");
  }
  return number;
}

CharacterSet RegexCursor::take_escape() {
  const char32_t letter = take_any("a character behind the backslash");
  if (auto set = set_of_letter(letter, blanks_)) return *set;
  if (const auto control = control_of_letter(letter)) return {{*control, *control}};
  if (letter == U'x' || letter == U'u') {
    const char32_t character = letter == U'x' ? take_hexadecimal(2) : take_code_point();
    return {{character, character}};
  }
  if (letter >= U'0' && letter <= U'9')
    fail("a back-reference or an octal number", "\\xHH for a character", 2);
  if (is_letter_or_digit(letter))
    fail(fmt::format("the escape \\{}", static_cast<char>(letter)),
         "\\d \\D \\w \\W \\s \\S \\n \\r \\t \\f \\v \\xHH \\uHHHH \\u{H...}, and signs", 2);
  return {{letter, letter}};
}

char32_t RegexCursor::take_hexadecimal(std::size_t digits) {
  char32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char32_t digit = take_any("hexadecimal digits");
    const std::size_t size = std::u32string_view(U"0123456789abcdef").find(digit | 0x20);
    if (size == std::u32string_view::npos || digit < U'0')
      fail("a character that is no hexadecimal digit", "\\xHH, \\uHHHH or \\u{H...}", 1);
    value = value << 4 | static_cast<char32_t>(size);
  }
  return value;
}

char32_t RegexCursor::take_code_point() {
  char32_t value = 0;
  if (!take(U'{')) {
    value = take_hexadecimal(4);
  } else {
    if (sees(U'}')) fail("a number without digits", "\\u{H} to \\u{HHHHHH}");
    for (int digits = 0; digits < 6 && !sees(U'}'); ++digits)
      value = value << 4 | take_hexadecimal(1);
    if (!take(U'}')) fail("a number that does not end", "\\u{H} to \\u{HHHHHH}");
  }
  if (!CharacterSet::all().contains(value))
    fail("a number that is no character", "up to 10FFFF, without surrogates", 1);
  return value;
}

CharacterSet RegexCursor::take_class() {
  const std::size_t begin = next_;
  const bool is_negated = take(U'^');
  std::vector<CharacterRange> ranges;
  if (sees(U']')) fail("an empty class", "at least one character; \\] for the bracket");
  while (!take(U']')) {
    if (at_end()) fail("a class that does not end", "] behind it", next_ - begin + 1);
    const CharacterSet first = take_class_item();
    const auto from = only_of(first);
    if (from && sees(U'-') && !sees(U"-]")) {
      take(U'-');
      const auto to = only_of(take_class_item());
      if (!to || *to < *from) fail("a range that does not rise", "ranges like a-z", 1);
      ranges.push_back({*from, *to});
    } else {
      ranges.insert(ranges.end(), first.ranges().begin(), first.ranges().end());
    }
  }
  const CharacterSet set(std::move(ranges));
  return is_negated ? set.complement() : set;
}

CharacterSet RegexCursor::take_class_item() {
  if (sees(U"[:")) fail("a named class", "\\d, \\w, \\s and ranges");
  const char32_t character = take_any("] behind the class");
  if (character == U'\\') return take_escape();
  return {{character, character}};
}

void RegexCursor::fail(const std::string& found, const char* allowed, std::size_t back) const {
  throw ConfigError(
      fmt::format("{}: {} at character {}; allowed: {}", name_, found, next_ - back + 1, allowed));
}

}  // namespace speclab::engines
