#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engines/constraints/expression.h"

namespace speclab::engines {

/// A user's expression stands for whole texts. A pattern of a JSON schema may stand anywhere in
/// them, and has the blanks and line ends of ECMA-262.
enum class RegexUse : std::uint8_t { whole_text, schema_pattern };

inline constexpr std::size_t kMostRegexBytes = 1 << 16;

/// Reads a regular expression over Unicode characters.
///
/// It has literals, `.` (not the end of a line), classes [a-z] and [^a-z], \d \w \s and \D \W \S of
/// ASCII (patterns of schemas have the blanks and line ends of ECMA-262, JSON Schema's), \n \r \t
/// \f \v, \xHH, \uHHHH, \u{H...}, groups ( ) and (?: ), |, and * + ? {m} {m,} {m,n}. `^` and `$`
/// stand at the two ends of an outermost alternative.
/// @param name  of the expression, for messages
/// @throws ConfigError with the place of anything else
Expression read_regex(std::string_view text, RegexUse use, const std::string& name);

}  // namespace speclab::engines
