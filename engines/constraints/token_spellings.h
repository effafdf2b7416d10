#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/constraints/automaton.h"
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

}  // namespace speclab::engines
