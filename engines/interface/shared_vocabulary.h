#pragma once
// Tokens that two tokenizers have in common.

#include <algorithm>
#include <cstdint>
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
    pair_equal(drafter, target, [](const Tokenizer& t, Token token) {
      return t.token_bytes(token);  // nothing of a special token
    });
    pair_equal(drafter, target, [](const Tokenizer& t, Token token) {
      return t.token_bytes(token).empty() ? t.token_text(token) : "";
    });
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

  /// The first of several tokens with the same spelling is taken.
  void pair_equal(const Tokenizer& drafter, const Tokenizer& target, const auto& spelling) {
    std::unordered_map<std::string, Token> of_target;
    for (Token token = 0; token < target.vocab_size(); ++token)
      of_target.emplace(spelling(target, token), token);
    of_target.erase("");
    for (Token token = 0; token < drafter.vocab_size(); ++token) {
      const auto found = of_target.find(spelling(drafter, token));
      if (found == of_target.end() || to_draft(found->second) != kNone) continue;
      if (to_target(token) == kNone) pair(token, found->second);
    }
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
