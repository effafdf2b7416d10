#pragma once
// Tokens as bytes, the places where two spellings of one text part, and a draft's text in the
// target's tokens.

#include <span>
#include <string>
#include <string_view>
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

/// The tokens that the target's tokenizer makes of `text` behind the tokens that stand. It sees the
/// last of them, so that it spells the text as it would within the whole. Those that stand never
/// change: where a token would reach over the border, the text is spelled by itself.
/// @param look_behind  tokens that it sees; 0: all
/// @return tokens that spell `text` byte by byte, none where there are no such tokens
std::vector<Token> spelled_behind(const Tokenizer& target, std::span<const Token> standing,
                                  std::string_view text, std::size_t look_behind);

}  // namespace speclab::engines
