#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// The tokens that may follow a text.
struct AllowedTokens {
  std::vector<bool> tokens;       ///< [vocab], of each whether it may follow, ends included
  std::optional<Token> forced{};  ///< the only one that may, if it is the only one
  bool has_ended = false;         ///< an end stands in the text; ends alone may follow it
};

/// Tokens that may continue a text so that it can still become one of a language. A regular
/// expression or a JSON schema names the language. Threads may share a mask.
class TokenMask {
 public:
  virtual ~TokenMask() = default;
  /// If a text has left the language, every token may follow. No such text is emitted.
  /// @param new_tokens  of the text so far, without the prompt
  /// @return valid as long as the mask
  /// @throws ConfigError if the vocabulary cannot spell what has to follow
  virtual const AllowedTokens& allowed(std::span<const Token> new_tokens) const = 0;
};

}  // namespace speclab::engines
