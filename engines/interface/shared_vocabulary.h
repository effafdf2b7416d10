#pragma once
// Tokens that two tokenizers have in common.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "sim/core/records.h"

namespace speclab::engines {

/// Pairs of tokens that spell the same bytes, and special tokens of the same text. Every token has
/// at most one counterpart.
/// @source Timor et al. 2025, Accelerating LLM Inference with Lossless Speculative Decoding
/// Algorithms for Heterogeneous Vocabularies (arXiv 2502.05202), section 4: token-level
/// intersection
class SharedVocabulary {
 public:
  static constexpr Token kNone = -1;

  SharedVocabulary(const Tokenizer& drafter, const Tokenizer& target)
      : to_target_(static_cast<std::size_t>(drafter.vocab_size()), kNone),
        to_draft_(static_cast<std::size_t>(target.vocab_size()), kNone) {
    pair_equal(tokens_by_bytes(drafter), tokens_by_bytes(target));
    pair_equal(special_tokens(drafter), special_tokens(target));
    pair_ends(drafter, target);
  }

  std::int32_t size() const { return size_; }
  VocabularyOverlap overlap() const {
    return {.shared = size_,
            .draft = static_cast<std::int64_t>(to_target_.size()),
            .target = static_cast<std::int64_t>(to_draft_.size())};
  }
  /// kNone where there is no counterpart, or no such token.
  Token to_target(Token draft_token) const { return counterpart(to_target_, draft_token); }
  Token to_draft(Token target_token) const { return counterpart(to_draft_, target_token); }
  /// The drafter's tokens that have a counterpart, ascending.
  std::vector<Token> draft_tokens() const {
    std::vector<Token> tokens;
    for (std::size_t token = 0; token < to_target_.size(); ++token)
      if (to_target_[token] != kNone) tokens.push_back(static_cast<Token>(token));
    return tokens;
  }

 private:
  static Token counterpart(const std::vector<Token>& counterparts, Token token) {
    const auto index = static_cast<std::size_t>(token);
    return token >= 0 && index < counterparts.size() ? counterparts[index] : kNone;
  }

  void pair(Token draft_token, Token target_token) {
    to_target_[static_cast<std::size_t>(draft_token)] = target_token;
    to_draft_[static_cast<std::size_t>(target_token)] = draft_token;
    ++size_;
  }

  using BySpelling = std::unordered_map<std::string, Token>;

  /// If several tokens have the same bytes, the one that the tokenizer writes counts. Byte tokens
  /// stand beside those of characters.
  static BySpelling tokens_by_bytes(const Tokenizer& tokenizer) {
    BySpelling tokens;
    std::set<std::string> repeated;
    for (Token token = 0; token < tokenizer.vocab_size(); ++token) {
      const std::string bytes = tokenizer.token_bytes(token);  // nothing of a special token
      if (!bytes.empty() && !tokens.emplace(bytes, token).second) repeated.insert(bytes);
    }
    for (const std::string& bytes : repeated)
      if (const Token written = written_token(tokenizer, bytes); written != kNone)
        tokens[bytes] = written;
    return tokens;
  }

  /// The token that stands for these bytes in a text; kNone if several do. Some tokenizers write
  /// another one at the beginning.
  static Token written_token(const Tokenizer& tokenizer, const std::string& bytes) {
    for (const char* before : {"", "x"}) {
      const std::vector<Token> ids = tokenizer.encode(before + bytes, SpecialText::as_plain_text);
      if (!ids.empty() && tokenizer.token_bytes(ids.back()) == bytes) return ids.back();
    }
    return kNone;
  }

  static BySpelling special_tokens(const Tokenizer& tokenizer) {
    BySpelling tokens;
    for (Token token = 0; token < tokenizer.vocab_size(); ++token)
      if (const std::string text = tokenizer.token_text(token);
          !text.empty() && tokenizer.token_bytes(token).empty())
        tokens.emplace(text, token);
    return tokens;
  }

  void pair_equal(const BySpelling& of_drafter, const BySpelling& of_target) {
    for (const auto& [spelling, draft_token] : of_drafter)
      if (const auto found = of_target.find(spelling); found != of_target.end())
        pair(draft_token, found->second);
  }

  /// Ends that are spelled differently mean the same.
  void pair_ends(const Tokenizer& drafter, const Tokenizer& target) {
    const auto free_end = [](const Tokenizer& tokenizer, const std::vector<Token>& counterparts) {
      for (Token token = 0; token < tokenizer.vocab_size(); ++token)
        if (tokenizer.is_end_of_sequence(token) && counterpart(counterparts, token) == kNone)
          return token;
      return kNone;
    };
    const Token draft_end = free_end(drafter, to_target_), target_end = free_end(target, to_draft_);
    if (draft_end != kNone && target_end != kNone) pair(draft_end, target_end);
  }

  std::vector<Token> to_target_, to_draft_;  ///< by token of the other side
  std::int32_t size_ = 0;
};

}  // namespace speclab::engines
