#include "engines/drafters/spelling.h"

#include <algorithm>

#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// The tokens of the last bytes of a text; none where a token reaches into them.
std::vector<Token> last_tokens(const Tokenizer& tokenizer, const std::string& text,
                               std::size_t num_bytes) {
  const std::vector<Token> tokens = tokenizer.encode(text, SpecialText::parsed);
  const std::ptrdiff_t before = tokens_before_last(tokenizer, tokens, num_bytes);
  return before < 0 ? std::vector<Token>() : std::vector(tokens.begin() + before, tokens.end());
}

}  // namespace

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

std::vector<Token> spelled_behind(const Tokenizer& target, std::span<const Token> standing,
                                  std::string_view text, std::size_t look_behind) {
  const std::size_t seen =
      look_behind > 0 ? std::min(look_behind, standing.size()) : standing.size();
  const std::string before = bytes_of_tokens(target, standing.last(seen));
  std::vector<Token> tokens = last_tokens(target, before + std::string(text), text.size());
  if (tokens.empty()) tokens = last_tokens(target, std::string(text), text.size());
  return bytes_of_tokens(target, tokens) == text ? tokens : std::vector<Token>();
}

}  // namespace speclab::engines
