#pragma once
// Characters of valid UTF-8 and their Unicode properties.

#include <cstdint>
#include <string>
#include <string_view>

namespace speclab::engines {

/// The mark that SentencePiece writes for a blank, U+2581.
inline constexpr std::string_view kBlankMark = "\xE2\x96\x81";

/// Bytes of the character that begins with `lead`; 1 where none does.
std::size_t character_length(char lead);
/// The character at the beginning or end of a text that is not empty. A byte that belongs to no
/// character is U+FFFD.
char32_t first_character(std::string_view text);
char32_t last_character(std::string_view text);
void append_character(char32_t character, std::string& text);

/// Property White_Space.
bool is_white_space(char32_t character);
/// Letters, marks, decimal digits, connectors and joiners: \w as Unicode TR 18 has it.
bool is_word_character(char32_t character);
/// General category M.
bool is_mark(char32_t character);
/// Lower case of one character; U+0130 becomes two.
void append_lower_case(char32_t character, std::string& text);

std::string_view without_first_white_space(std::string_view text);
std::string_view without_final_white_space(std::string_view text);

/// `text` with every byte that belongs to no character replaced by U+FFFD.
std::string with_replaced_invalid_bytes(std::string_view text);
/// `text` with each `from` replaced, from left to right. @param from  not empty
std::string replaced(std::string_view text, std::string_view from, std::string_view by);

}  // namespace speclab::engines
