#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engines/constraints/character_set.h"

namespace speclab::engines {

/// A regular expression that is being read, character by character.
class RegexCursor {
 public:
  /// @param blanks  the characters that \s stands for; outlive it, as the name does
  /// @throws ConfigError if the text is too long or no valid UTF-8
  RegexCursor(std::string_view text, const CharacterSet& blanks, const std::string& name);

  bool at_end() const { return next_ == characters_.size(); }
  bool is_last() const { return next_ + 1 == characters_.size(); }
  bool sees(char32_t character) const { return !at_end() && characters_[next_] == character; }
  bool sees(std::u32string_view text) const {
    return std::u32string_view(characters_).substr(next_).starts_with(text);
  }
  /// Passes the character if it is the next.
  bool take(char32_t character);
  /// Passes one character. @throws ConfigError at the end
  char32_t take_any(const char* wanted);
  /// Passes a decimal number; nothing if there is none. @throws ConfigError above kMostRepetitions
  std::optional<std::int32_t> take_number();
  /// Behind a backslash: the set or the one character that the escape stands for.
  CharacterSet take_escape();
  /// Behind `[`: up to and with `]`.
  CharacterSet take_class();

  /// @param back  characters before the next that are meant
  [[noreturn]] void fail(const std::string& found, const char* allowed, std::size_t back = 0) const;

 private:
  /// One character or one escape of a class.
  CharacterSet take_class_item();
  char32_t take_hexadecimal(std::size_t digits);
  char32_t take_code_point();

  const std::string& name_;
  const CharacterSet& blanks_;
  std::u32string characters_;
  std::size_t next_ = 0;
};

inline constexpr std::int32_t kMostRepetitions = 100'000;

}  // namespace speclab::engines
