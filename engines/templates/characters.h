#pragma once
// Characters as Python counts and classifies them.

#include <string>
#include <string_view>

#include "engines/templates/rendering.h"

namespace speclab::templates {

/// @param utf8  valid UTF-8
std::u32string code_points(std::string_view utf8);
std::string utf8_of(std::u32string_view characters);
void append_utf8(std::string& text, char32_t character);
/// Whether a text is UTF-8 without surrogates, overlong forms and cut characters.
bool is_valid_utf8(std::string_view text);

/// @param utf8  valid UTF-8
std::size_t count_characters(std::string_view utf8);
/// Characters begin to end of a text; the way to them counts towards the steps.
/// @param end  at most the number of characters
std::string_view characters_between(Rendering& rendering, const Text& text, std::size_t begin,
                                    std::size_t end);

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

}  // namespace speclab::templates
