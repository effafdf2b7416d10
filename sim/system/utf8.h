#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
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
inline bool is_valid_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

/// Bytes of the character that begins with `lead`; 1 where none does.
inline std::size_t character_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
inline bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The character at the beginning or end of a text that is not empty; U+FFFD where none begins.
char32_t first_character(std::string_view text);
char32_t last_character(std::string_view text);
/// The characters of a text. A byte that begins none is U+FFFD, with as many bytes as it announces.
std::u32string characters_of(std::string_view text);
std::string utf8_of(std::u32string_view characters);
inline std::string utf8_of(char32_t character) { return utf8_of({&character, 1}); }
void append_utf8(char32_t character, std::string& text);

/// Unicode's property White_Space.
bool is_white_space(char32_t character);

/// The longest name that a table takes, in bytes.
inline constexpr std::size_t kLongestTableText = 1000;

/// For messages: what table_text_problem finds nothing wrong with.
inline constexpr const char* kTableTextRule =
    "at most 1000 bytes of UTF-8 without control characters such as line feeds";

/// Why a text may not become a field of a table: "a control character (byte 0x0a) at byte 3". Empty
/// where it may. Whatever names something in a table is checked where it enters, before anything is
/// measured. Bytes count from 1. An empty text is allowed here; callers that need a name check it.
std::string table_text_problem(std::string_view text);

}  // namespace speclab
