#pragma once
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/stats/policy_regret.h"

namespace speclab::analysis {

/// What each policy loses against the clairvoyant bound, a figure a model and sampling setting, a
/// line of marks a drafter.
std::vector<Figure> regret_figures(const std::vector<PolicyComparison>& comparisons);

}  // namespace speclab::analysis
