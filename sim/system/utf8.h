#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace speclab {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  ///< U+FFFD

enum class Utf8State : std::uint8_t { complete, unfinished, invalid };

/// The beginning of a text that is not empty. `complete`: a whole character of `length` bytes.
/// `unfinished`: the whole text, which more bytes could finish. `invalid`: `length` bytes that
/// begin no character.
struct Utf8Head {
  Utf8State state;
  std::size_t length;
};

/// Strict: refuses overlong forms, surrogates and everything above U+10FFFF. @source The Unicode
/// Standard, table 3-7
Utf8Head utf8_head(std::string_view text);

/// True if a terminal may obey the character instead of showing it: C0, DEL or C1.
/// @param character  whole and valid
bool is_control(std::string_view character);

/// True if a terminal shows the text unchanged: whole, valid characters, and no control character.
bool is_printable(std::string_view text);

/// Number of bytes of the whole, valid characters at the beginning of `text`.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace speclab
