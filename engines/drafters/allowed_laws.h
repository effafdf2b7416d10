#pragma once
#include <span>
#include <vector>

#include "engines/interface/token_mask.h"
#include "sim/core/law.h"

namespace speclab::engines {

/// Tokens that a draft may have behind new tokens. The target may refuse them before, so a drafter
/// has nothing to say where the vocabulary cannot spell the rest.
/// @return null there
const AllowedTokens* allowed_in_draft(const TokenMask& mask, std::span<const Token> new_tokens);

/// Takes the tokens out of a law that may not follow, and scales the others up to 1.
/// @param allowed  [vocab]
/// @return false if nothing is left; the law is then unspecified
bool keep_allowed_tokens(const std::vector<bool>& allowed, Law& law);

}  // namespace speclab::engines
