#pragma once
// A growing text of the target in the drafter's tokens.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

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
