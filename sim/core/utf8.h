#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace speclab {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  ///< U+FFFD

enum class Utf8State : std::uint8_t { complete, unfinished, invalid };

/// What `text` (not empty) begins with: a whole character of `length` bytes, the first `length`
/// bytes of one that more text could finish (then that is all of the text), or `length` bytes that
/// begin none.
struct Utf8Head {
  Utf8State state;
  std::size_t length;
};

/// Strict: no overlong forms, no surrogates, nothing above U+10FFFF. @source The Unicode Standard,
/// table 3-7
Utf8Head utf8_head(std::string_view text);

/// Whether a terminal may obey it instead of showing it: C0, DEL or C1. @param character  whole and
/// valid
bool is_control(std::string_view character);

/// Whether a terminal shows it as it is: whole, valid characters, none of them a control character.
bool is_printable(std::string_view text);

/// Bytes of whole, valid characters that `text` begins with.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace speclab
