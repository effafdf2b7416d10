#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "engines/tokenizers/bpe_merger.h"

namespace speclab::engines {

/// The tokens of text that the vocabulary lacks: byte tokens, the unknown token, or none.
struct UnknownText {
  std::optional<ByteTokens> bytes{};  ///< where missing characters are spelt byte by byte
  std::optional<Token> token{};       ///< where they are not, or a byte has no token
  bool is_fused = false;              ///< unknown characters side by side are one token

  /// Appends the tokens of one character, or of bytes.
  /// @param follows_unknown  the text before it became the unknown token, and so does this
  void append(std::string_view text, std::vector<Token>& out, bool& follows_unknown) const {
    if (spells(text)) {
      for (const char byte : text) out.push_back((*bytes)[static_cast<unsigned char>(byte)]);
      follows_unknown = false;
    } else if (token) {
      if (!(follows_unknown && is_fused)) out.push_back(*token);
      follows_unknown = true;
    }
  }
  /// Whether the text leaves nothing behind.
  bool drops(std::string_view text) const { return !token && !spells(text); }

 private:
  bool spells(std::string_view text) const {
    if (!bytes) return false;
    for (const char byte : text)
      if ((*bytes)[static_cast<unsigned char>(byte)] == kNoToken) return false;
    return true;
  }
};

}  // namespace speclab::engines
