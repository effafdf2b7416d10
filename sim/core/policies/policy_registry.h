#pragma once
// Speculation-length policies by the name a config or command line gives them.

#include <memory>
#include <string>

#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// "none" (drafts nothing), "constant:N", "heuristic", "confidence", "confidence:P" with P in [0, 1] or "auto".
///
/// @param auto_policy  what "auto" means here: a policy that needs a measured cost surface, made in sim/analytic; a fresh
///                     copy of it is returned. Null where there is none
/// @throws ConfigError on anything else, listing what is allowed, and for "auto" without `auto_policy`
std::unique_ptr<SpeculationLengthPolicy> make_policy(const std::string& text, const SpeculationLengthPolicy* auto_policy = nullptr);

}  // namespace speclab
