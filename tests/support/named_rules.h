#pragma once
// The acceptance rules by the names that the engines give them.

#include <string>

#include "tests/support/small_world.h"

namespace speclab::testing {

/// What the engines run under a verifier's name, in float and in double. The lossy rules have
/// lenience 0.8 and Medusa's thresholds.
/// @throws std::invalid_argument for a name without a rule
template <typename Scalar>
Rule<Scalar> rule_named(const std::string& verifier);

/// How a drafter draws for it when text is sampled. @param is_chain  whether no node has siblings
DrawKind draw_kind_for(const std::string& verifier, bool is_chain);

extern template Rule<float> rule_named<float>(const std::string&);
extern template Rule<double> rule_named<double>(const std::string&);

}  // namespace speclab::testing
