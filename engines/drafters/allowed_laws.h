#pragma once
#include <vector>

#include "sim/core/law.h"

namespace speclab::engines {

/// Takes the tokens out of a law that may not follow, and scales the others up to 1.
/// @param allowed  [vocab]
/// @return false if nothing is left; the law is then unspecified
bool keep_allowed_tokens(const std::vector<bool>& allowed, Law& law);

}  // namespace speclab::engines
