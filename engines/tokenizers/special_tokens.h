#pragma once
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// Tokens that are found in the text before anything else: the leftmost first, of those the
/// longest.
class SpecialTokens {
 public:
  /// The next special token in a text.
  struct Match {
    std::size_t begin;  ///< text.size() if there is none
    std::size_t length;
    Token token;
  };

  /// @param text  not empty
  void add(const std::string& text, Token token);
  Match find(std::string_view text) const;

 private:
  bool match_at(std::string_view text, Match& match) const;

  std::unordered_map<std::string, Token> tokens_;
  std::vector<std::size_t> lengths_;  ///< distinct, descending
  std::array<bool, 256> begins_token_ = {};
};

}  // namespace speclab::engines
