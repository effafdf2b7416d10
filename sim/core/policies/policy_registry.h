#pragma once
// Speculation-length policies by the name a config or command line gives them.

#include <memory>
#include <string>
#include <string_view>

#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// "none" (drafts nothing), "constant:N", "heuristic", "confidence" and "tracking", either also
/// with a number in [0, 1] and a longest length as in "confidence:0.4:20", or "auto".
///
/// @param auto_policy  what "auto" means here: a policy that needs a measured cost surface, made in
/// sim/analytic; a fresh
///                     copy of it is returned. Null where there is none
/// @throws ConfigError on anything else, listing what is allowed, and for "auto" without
/// `auto_policy`
std::unique_ptr<SpeculationLengthPolicy> make_policy(
    const std::string& text, const SpeculationLengthPolicy* auto_policy = nullptr);

/// Whether a policy of this name can count the nodes of an adaptive tree; the others reckon with
/// levels.
bool can_count_nodes(std::string_view text);

}  // namespace speclab
