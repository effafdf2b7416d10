#pragma once
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engines/constraints/automaton.h"
#include "engines/constraints/token_spellings.h"
#include "engines/interface/token_mask.h"

namespace speclab::engines {

/// The mask of an automaton over a vocabulary. Each state that a text meets is looked at once; then
/// its tokens are remembered, a bit for each.
class AutomatonMask final : public TokenMask {
 public:
  /// @param ends  at least one, within the vocabulary
  AutomatonMask(std::shared_ptr<const Automaton> automaton, TextSpellings spellings,
                std::vector<Token> ends);

  const AllowedTokens& allowed(std::span<const Token> new_tokens) const override;

 private:
  bool is_end(Token token) const;
  std::int32_t state_behind(std::span<const Token> new_tokens) const;
  AllowedTokens tokens_from(std::int32_t state, const TokenSpellings& spellings) const;
  [[noreturn]] void refuse_vocabulary(std::span<const Token> new_tokens) const;

  std::shared_ptr<const Automaton> automaton_;
  TextSpellings spellings_;
  std::vector<Token> ends_;
  AllowedTokens all_, behind_end_;
  mutable std::mutex mutex_;                                       ///< of `known_`
  mutable std::unordered_map<std::int32_t, AllowedTokens> known_;  ///< by state; -1: no token yet
};

}  // namespace speclab::engines
