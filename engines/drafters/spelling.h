#pragma once
// Tokens as bytes, and the places where two spellings of one text part.

#include <span>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// The bytes of tokens within a text; a special token has its text.
std::string bytes_of_token(const Tokenizer& tokenizer, Token token);
std::string bytes_of_tokens(const Tokenizer& tokenizer, std::span<const Token> tokens);

/// How many of `tokens` stand before the last `num_bytes` bytes that they spell. Counting from the
/// end makes blanks that an encoder adds at the beginning harmless.
/// @return -1 where no token begins there
std::ptrdiff_t tokens_before_last(const Tokenizer& tokenizer, std::span<const Token> tokens,
                                  std::size_t num_bytes);

/// The text without a character that is unfinished at its end.
std::string_view without_unfinished(std::string_view text);

}  // namespace speclab::engines
