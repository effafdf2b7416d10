// The tokens inside of a tag.

#include <algorithm>
#include <array>

#include "engines/templates/characters.h"
#include "engines/templates/template.h"
#include "engines/templates/tokens.h"

namespace speclab::templates {
namespace {

/// The value of an escaped string, as Python's codec unicode-escape reads it.
class EscapeReader {
 public:
  EscapeReader(std::string_view text, int line) : rest_(text), line_(line) {}

  std::string read() {
    while (!rest_.empty()) {
      text_ += taken_until(rest_, "\\");
      if (!rest_.empty()) read_escape();
    }
    return std::move(text_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_syntax(line_, message); }

  void read_escape() {
    const char kind = rest_[1];
    rest_.remove_prefix(2);
    switch (kind) {
      case '\n':
        return;
      case 'x':
        return add_hexadecimal(2);
      case 'u':
        return add_hexadecimal(4);
      case 'U':
        return add_hexadecimal(8);
      case 'N':
        fail("a character by its name (\\N); allowed: \\u and its number");
      default:
        break;
    }
    constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeant = "\\'\"\a\b\f\n\r\t\v";
    if (const std::size_t i = kLetters.find(kind); i != kLetters.npos)
      text_.push_back(kMeant[i]);
    else if (kind >= '0' && kind <= '7')
      add_octal(kind);
    else
      (text_ += '\\') += kind;
  }

  void add_hexadecimal(std::size_t digits) {
    char32_t character = 0;
    if (rest_.size() < digits) fail("an escape that is cut short");
    for (const char digit : rest_.substr(0, digits)) {
      if (digit_value(digit) >= 16) fail("an escape with a digit that is not hexadecimal");
      character = character << 4 | static_cast<char32_t>(digit_value(digit));
    }
    if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
      fail("an escape that is no character");
    append_utf8(character, text_);
    rest_.remove_prefix(digits);
  }

  void add_octal(char first) {
    auto character = static_cast<char32_t>(first - '0');
    for (int i = 0; i < 2 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
      character = character << 3 | static_cast<char32_t>(rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    append_utf8(character, text_);
  }

  std::string_view rest_;
  int line_;
  std::string text_;
};

constexpr std::string_view kDecimal = "0123456789";

bool is_among(std::string_view text, std::size_t at, std::string_view set) {
  return at < text.size() && set.find(text[at]) != set.npos;
}

bool is_name_byte(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '_' || static_cast<signed char>(byte) < 0;
}

/// The place behind digits with single underscores between them, which begin at `at`.
std::size_t end_of_digits(std::string_view rest, std::size_t at, std::string_view digits) {
  while (is_among(rest, at, digits) || (is_among(rest, at, "_") && is_among(rest, at + 1, digits)))
    ++at;
  return at;
}

TagToken name_token(std::string_view rest, int line) {
  std::size_t length = 0;
  while (length < rest.size() && is_name_byte(rest[length])) ++length;
  for (const char32_t character : characters_of(rest.substr(0, length)))
    if (character >= 0x80 && !is_alphabetic(character) && !is_digit(character))
      fail_syntax(line, "a character that no name may have");
  return {{TokenType::name, std::string(rest.substr(0, length)), line}, length};
}

TagToken number_token(std::string_view rest, bool is_behind_dot, int line) {
  const char base = rest.size() > 2 && rest[0] == '0' ? static_cast<char>(rest[1] | 0x20) : 0;
  for (const auto& [letter, digits] :
       {std::pair('x', "0123456789abcdefABCDEF"), std::pair('o', "01234567"), std::pair('b', "01")})
    if (const std::size_t end = base == letter ? end_of_digits(rest, 2, digits) : 0; end > 2)
      return {{TokenType::integer, std::string(rest.substr(0, end)), line}, end};
  const std::size_t whole = end_of_digits(rest, 0, kDecimal);
  std::size_t end = whole;
  if (!is_behind_dot && is_among(rest, end, ".") && is_among(rest, end + 1, kDecimal))
    end = end_of_digits(rest, end + 1, kDecimal);
  if (!is_behind_dot && is_among(rest, end, "eE")) {
    const std::size_t first = end + (is_among(rest, end + 1, "+-") ? 2 : 1);
    if (is_among(rest, first, kDecimal)) end = end_of_digits(rest, first, kDecimal);
  }
  std::string text(rest.substr(0, end));
  std::erase(text, '_');
  return {{end > whole ? TokenType::real : TokenType::integer, std::move(text), line}, end};
}

TagToken text_token(std::string_view rest, int line) {
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != rest[0]) end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) fail_syntax(line, "a string without its end");
  return {{TokenType::text, EscapeReader(rest.substr(1, end - 1), line).read(), line}, end + 1};
}

TagToken sign_token(std::string_view rest, int line) {
  static constexpr std::array<std::string_view, 6> kLong = {"//", "**", "==", "!=", ">=", "<="};
  static constexpr std::string_view kShort = "+-*/%~[](){}><=.:|,;";
  const bool is_long = std::ranges::find(kLong, rest.substr(0, 2)) != kLong.end();
  if (!is_long && kShort.find(rest[0]) == kShort.npos)
    fail_syntax(line, "a character that no expression has");
  const std::size_t length = is_long ? 2 : 1;
  return {{TokenType::sign, std::string(rest.substr(0, length)), line}, length};
}

}  // namespace

TagToken tag_token(std::string_view rest, bool is_behind_dot, int line) {
  if (is_among(rest, 0, kDecimal)) return number_token(rest, is_behind_dot, line);
  if (is_name_byte(rest[0])) return name_token(rest, line);
  if (rest[0] == '\'' || rest[0] == '"') return text_token(rest, line);
  return sign_token(rest, line);
}

}  // namespace speclab::templates
