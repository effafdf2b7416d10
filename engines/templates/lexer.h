#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engines/templates/limits.h"

namespace speclab::templates {

enum class TokenType : std::uint8_t {
  data,
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  text,
  integer,
  real,
  sign,
  end
};

struct Token {
  TokenType type;
  std::string text;  ///< of a text what it means; of the others what the source holds
  int line;
};

/// Splits a template into tokens, as jinja2 does with trim_blocks and lstrip_blocks. Comments and
/// blanks inside tags are gone, line ends are line feeds, and the last line end is dropped.
/// @throws TemplateError (syntax) also where the source is too long or no UTF-8
std::vector<Token> tokens_of(std::string_view source, const Limits& limits);

/// The value of an escaped string of the source, without its quotes.
/// @throws TemplateError (syntax)
std::string unescaped(std::string_view text, int line);

}  // namespace speclab::templates
