#pragma once
#include <optional>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

/// Measured speed-up against the predicted one, a mark a cell that drafts in at least half of its
/// rounds, a colour a drafter. Nothing for fewer than twelve, where the figures over temperature
/// tell every one apart.
std::optional<Figure> prediction_figure(const FigureData& data);

}  // namespace speclab::analysis
