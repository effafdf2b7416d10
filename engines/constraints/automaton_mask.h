#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engines/constraints/automaton.h"
#include "engines/interface/token_mask.h"
#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// The bytes that the tokens of a vocabulary spell, in an order that puts common beginnings
/// together.
class TokenSpellings {
 public:
  /// @param bytes  of each token; empty: it never follows
  explicit TokenSpellings(std::vector<std::string> bytes);

  std::size_t vocab_size() const { return bytes_.size(); }
  std::string_view of(Token token) const { return bytes_[static_cast<std::size_t>(token)]; }
  /// Sets those whose bytes lead an automaton on from a state. Bytes that tokens begin with
  /// together are read once.
  void add_allowed(const Automaton& automaton, std::int32_t state,
                   std::vector<bool>& allowed) const;

 private:
  struct Entry {
    Token token;
    std::uint32_t shared;   ///< bytes that it begins with like the entry before
    std::uint32_t further;  ///< bytes behind them
  };
  std::vector<std::string> bytes_;
  std::vector<Entry> order_;  ///< by bytes; tokens without bytes are left out
  std::string further_;       ///< of all entries, side by side, so that memory is read in its order
  std::size_t longest_ = 0;
};

/// Spellings of the first token of a text and of all later ones. They differ if a tokenizer drops
/// the blank that begins a text.
struct TextSpellings {
  std::shared_ptr<const TokenSpellings> first, later;
};

/// @param size  of the vocabulary; ids that the tokenizer lacks have no bytes
/// @throws ConfigError if a token spells other bytes behind another token than alone
TextSpellings spellings_of(const Tokenizer& tokenizer, std::int32_t size);

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
