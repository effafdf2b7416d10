#include "engines/drafters/spelling.h"

#include "sim/system/utf8.h"

namespace speclab::engines {

std::string bytes_of_token(const Tokenizer& tokenizer, Token token) {
  const std::string bytes = tokenizer.token_bytes(token);
  return bytes.empty() ? tokenizer.token_text(token) : bytes;
}

std::string bytes_of_tokens(const Tokenizer& tokenizer, std::span<const Token> tokens) {
  std::string bytes;
  for (const Token token : tokens) bytes += bytes_of_token(tokenizer, token);
  return bytes;
}

std::ptrdiff_t tokens_before_last(const Tokenizer& tokenizer, std::span<const Token> tokens,
                                  std::size_t num_bytes) {
  std::size_t behind = 0;
  auto before = static_cast<std::ptrdiff_t>(tokens.size());
  while (behind < num_bytes && before > 0)
    behind += bytes_of_token(tokenizer, tokens[static_cast<std::size_t>(--before)]).size();
  return behind == num_bytes ? before : -1;
}

/// No character has more than four bytes.
std::string_view without_unfinished(std::string_view text) {
  for (std::size_t held = 1; held <= std::min<std::size_t>(3, text.size()); ++held)
    if (utf8_head(text.substr(text.size() - held)).state == Utf8State::unfinished)
      return text.substr(0, text.size() - held);
  return text;
}

}  // namespace speclab::engines
