#include "engines/templates/tag_token.h"

#include <algorithm>
#include <array>

#include "engines/templates/characters.h"
#include "engines/templates/template_error.h"

namespace speclab::templates {
namespace {

constexpr std::string_view kDecimal = "0123456789";

[[noreturn]] void fail_token(int line, const std::string& message) {
  throw TemplateError(Fault::syntax, line, message);
}

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
  for (const char32_t character : code_points(rest.substr(0, length)))
    if (character >= 0x80 && !is_alphabetic(character) && !is_digit(character))
      fail_token(line, "a character that no name may have");
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
  if (end >= rest.size()) fail_token(line, "a string without its end");
  return {{TokenType::text, unescaped(rest.substr(1, end - 1), line), line}, end + 1};
}

TagToken sign_token(std::string_view rest, int line) {
  static constexpr std::array<std::string_view, 6> kLong = {"//", "**", "==", "!=", ">=", "<="};
  static constexpr std::string_view kShort = "+-*/%~[](){}><=.:|,;";
  const bool is_long = std::ranges::find(kLong, rest.substr(0, 2)) != kLong.end();
  if (!is_long && kShort.find(rest[0]) == kShort.npos)
    fail_token(line, "a character that no expression has");
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
