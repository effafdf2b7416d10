#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Which tokens may continue a text so that it can still become one of a language: that of a
/// regular expression or a JSON schema.
class TokenMask {
 public:
  virtual ~TokenMask() = default;
  /// @param new_tokens  of the text so far, without the prompt
  /// @return of every token whether it may follow, ends included; valid as long as the mask
  virtual const std::vector<bool>& allowed(std::span<const Token> new_tokens) const = 0;
};

}  // namespace speclab::engines
