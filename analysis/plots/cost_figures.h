#pragma once
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/costs.h"

namespace speclab::analysis {

/// Time of a target forward over its rows, a line a context; one figure a model, in the order of
/// the costs.
std::vector<Figure> forward_cost_figures(const std::vector<CostRow>& costs);

}  // namespace speclab::analysis
