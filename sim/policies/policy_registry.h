#pragma once
// Policies of the speculation length by their names in configs and on the command line.

#include <memory>
#include <string>
#include <string_view>

#include "sim/core/speculation_length_policy.h"

namespace speclab {

/// Makes "none" (drafts nothing), "constant:N", "heuristic", "confidence", "tracking" or "auto".
/// "confidence" and "tracking" also take a number in [0, 1] and a longest length, for example
/// "confidence:0.4:20".
///
/// @param auto_policy  the policy that "auto" copies; it needs a measured cost surface and comes
/// from sim/analytic. Null if there is none
/// @throws ConfigError on anything else, with the allowed names, and for "auto" without
/// `auto_policy`
std::unique_ptr<SpeculationLengthPolicy> make_policy(
    const std::string& text, const SpeculationLengthPolicy* auto_policy = nullptr);

/// True if a policy of this name can count the nodes of an adaptive tree; the others count levels.
bool can_count_nodes(std::string_view text);

}  // namespace speclab
