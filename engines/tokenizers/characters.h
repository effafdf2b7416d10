#pragma once
// Texts of valid UTF-8, beside what sim/system/utf8.h has.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/system/utf8.h"

namespace speclab::engines {

/// The mark that SentencePiece writes for a blank, U+2581.
inline constexpr std::string_view kBlankMark = "\xE2\x96\x81";

/// Letters, marks, decimal digits, connectors and joiners: \w as Unicode TR 18 has it.
bool is_word_character(char32_t character);
std::string_view without_first_white_space(std::string_view text);
std::string_view without_final_white_space(std::string_view text);

/// Calls `valid(stretch)` with the text up to each byte that belongs to no character, and
/// `other(byte)` with that byte.
template <typename Valid, typename Other>
void visit_stretches(std::string_view text, Valid valid, Other other) {
  for (; !text.empty(); text.remove_prefix(1)) {
    const std::size_t length = valid_utf8_prefix(text);
    valid(text.substr(0, length));
    text.remove_prefix(length);
    if (text.empty()) return;
    other(text.substr(0, 1));
  }
}
/// `text` with every byte that belongs to no character replaced by U+FFFD.
std::string with_replaced_invalid_bytes(std::string_view text);
/// `text` with each `from` replaced, from left to right. @param from  not empty
std::string replaced(std::string_view text, std::string_view from, std::string_view by);

/// The bytes that a token's text stands for in the byte-level alphabet, in which each of the 256
/// bytes is one printable character.
/// @return nothing if `text` uses a character outside that alphabet
/// @source Radford et al. 2019 (GPT-2), bytes_to_unicode of its encoder
std::optional<std::string> bytes_of_token_text(std::string_view text);

}  // namespace speclab::engines
