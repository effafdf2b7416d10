#pragma once
#include <vector>

#include "sim/rules/rule.h"

namespace speclab::experiments {

/// Dense laws of a drafted chain: after node i the target's, for i = 0 ... n, and the draft's, for
/// i < n. Each sums to 1.
struct LoggedChain {
  std::vector<std::vector<double>> target_laws, draft_laws;
  std::vector<Token> tokens;
};

/// @throws ContractError if the draft is no chain
LoggedChain logged_chain(const Draft& draft, const TargetLaws<float>& target_laws);

}  // namespace speclab::experiments
