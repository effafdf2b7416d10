#pragma once
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/stats/drafter_acceptance.h"

namespace speclab::analysis {

/// Of each model and sampling, a line a drafter: acceptance by depth, the target's mass on the
/// drafter's most likely tokens, acceptance by category; and acceptance over temperature where
/// there are several.
/// @param by_category  the same drafters, category by category
std::vector<Figure> acceptance_figures(const std::vector<DrafterAcceptance>& pooled,
                                       const std::vector<DrafterAcceptance>& by_category);

/// The drafter, and of its settings those in which the cells differ.
std::string drafter_name(const DrafterAcceptance& drafter,
                         const std::vector<DrafterAcceptance>& all);

}  // namespace speclab::analysis
