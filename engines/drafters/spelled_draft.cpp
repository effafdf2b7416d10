#include "engines/drafters/spelled_draft.h"

#include <algorithm>
#include <string>

#include "engines/drafters/spelling.h"

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
