#pragma once
// Characters as Python counts, classifies and finds them.

#include <string>
#include <string_view>

#include "engines/templates/rendering.h"
#include "sim/system/utf8.h"

namespace speclab::templates {

/// @param utf8  valid UTF-8
std::size_t count_characters(std::string_view utf8);
/// Characters begin to end of a text; the way to them counts towards the steps.
/// @param end  at most the number of characters
std::string_view characters_between(Rendering& rendering, const Text& text, std::size_t begin,
                                    std::size_t end);

/// Value of a digit of bases up to 36; 99 if it is none.
inline int digit_value(char byte) {
  const char small = static_cast<char>(byte | 0x20);
  return byte >= '0' && byte <= '9'     ? byte - '0'
         : small >= 'a' && small <= 'z' ? small - 'a' + 10
                                        : 99;
}
/// Makes number * base + digit of a number. False if that has more than 127 bits.
inline bool append_digit(Integer& number, Integer base, int digit) {
  return !__builtin_mul_overflow(number, base, &number) &&
         !__builtin_add_overflow(number, static_cast<Integer>(digit), &number);
}

/// Takes off what stands before the first of some bytes; all where there is none of them.
inline std::string_view taken_until(std::string_view& rest, std::string_view stops) {
  const std::string_view taken = rest.substr(0, rest.find_first_of(stops));
  rest.remove_prefix(taken.size());
  return taken;
}

/// str.isspace, str.isalpha and so on of one character.
bool is_space(char32_t character);
bool is_alphabetic(char32_t character);
bool is_digit(char32_t character);
bool is_decimal(char32_t character);
bool is_numeric(char32_t character);
bool is_upper(char32_t character);
bool is_lower(char32_t character);
bool is_title(char32_t character);
bool is_cased(char32_t character);
/// Whether repr shows the character itself.
bool is_shown_by_repr(char32_t character);

/// The text so many times.
std::string repeated(std::string_view text, std::size_t count);
std::string uppercase(std::string_view text);
std::string lowercase(std::string_view text);
/// str.title: the first cased character of each run, the others in lower case.
std::string titlecase(std::string_view text);
/// str.capitalize
std::string capitalised(std::string_view text);
/// str.casefold
std::string casefolded(std::string_view text);

enum class Side : std::uint8_t { both, left, right };
/// str.strip, lstrip, rstrip without arguments.
std::string_view without_spaces(std::string_view text, Side side);
/// The same with the set of characters to remove.
std::string_view without_characters(std::string_view text, std::u32string_view set, Side side);

/// As std::string_view::find. A hostile pair compares almost all of the sought text at almost every
/// place, so every byte that is read or compared counts towards the steps of the rendering.
/// @throws TemplateError if the steps are used up
std::size_t found_from_left(Rendering& rendering, std::string_view text, std::string_view sought,
                            std::size_t first = 0);
/// As std::string_view::rfind. @throws TemplateError likewise
std::size_t found_from_right(Rendering& rendering, std::string_view text, std::string_view sought);

}  // namespace speclab::templates
