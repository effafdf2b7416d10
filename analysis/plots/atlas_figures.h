#pragma once
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/atlas.h"

namespace speclab::analysis {

/// Per drafter over temperature, a line a rule: acceptance of the rules for one draft, of those for
/// two, tokens a round.
std::vector<Figure> atlas_figures(const std::vector<AtlasRow>& rows);

}  // namespace speclab::analysis
