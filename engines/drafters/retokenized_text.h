#pragma once
// A text in the tokens of another model: tokens as bytes, places where two spellings part, and the
// target's growing text in the drafter's tokens.

#include <memory>
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

/// The two tokenizers of a bridge; both outlive what is built on them.
struct TokenizerPair {
  std::shared_ptr<const Tokenizer> drafter, target;
};

/// Reads the target's tokens and spells their text in the drafter's.
class RetokenizedText {
 public:
  /// @param look_behind  drafter's tokens that are spelled anew where text is added; the others
  /// stay. 0: all are.
  RetokenizedText(const TokenizerPair& tokenizers, std::size_t look_behind)
      : tokenizers_(tokenizers), look_behind_(look_behind) {}

  /// @param target_tokens  the whole text; those read before come first
  void read(std::span<const Token> target_tokens);
  /// The text so far, with what the drafter's tokenizer puts before every text.
  const std::vector<Token>& draft_tokens() const { return draft_tokens_; }
  /// Bytes at the end of the text that are in no token yet: the beginning of a character.
  const std::string& pending() const { return pending_; }

 private:
  void spell_whole(std::span<const Token> target_tokens);
  bool spell_end(const std::string& added);
  std::string take_whole_characters(std::string text);

  TokenizerPair tokenizers_;
  std::size_t look_behind_;
  std::size_t num_read_ = 0;  ///< target's tokens
  std::vector<Token> draft_tokens_;
  std::string pending_;
};

}  // namespace speclab::engines
