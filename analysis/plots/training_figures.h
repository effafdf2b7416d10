#pragma once
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/tables/training_curve.h"

namespace speclab::analysis {

/// Loss and held-out acceptance over the tokens visited: of one training a line a drafted token, of
/// several a line each of the first; where there are further drafted tokens, what a round would
/// emit.
std::vector<Figure> training_figures(const std::vector<TrainingCurve>& curves);

}  // namespace speclab::analysis
