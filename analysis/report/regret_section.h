#pragma once
#include <string>
#include <vector>

#include "analysis/stats/policy_regret.h"

namespace speclab::analysis {

/// What each policy loses against the best static length and the clairvoyant bound; empty where
/// nothing was compared.
std::string regret_section_html(const std::vector<PolicyComparison>& comparisons);

/// regret.csv, as results/TABLES.md describes it.
std::string regret_csv(const std::vector<PolicyComparison>& comparisons);

}  // namespace speclab::analysis
