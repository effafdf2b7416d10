#pragma once
#include <optional>

#include "analysis/plots/figures.h"
#include "analysis/stats/ledger.h"

namespace speclab::analysis {

/// Measured speed-up against the predicted one, a mark a cell that drafts in at least half of its
/// rounds, a colour a drafter. Nothing for fewer than twelve, where the figures over temperature
/// tell every one apart.
std::optional<Figure> prediction_figure(const FigureData& data);

/// From the predicted to the measured walltime of a group, a bar a cause. @param name  of the
/// group's line
Figure ledger_figure(const Group& group, const Ledger& ledger, const std::string& name);

}  // namespace speclab::analysis
