#pragma once
#include <optional>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/stats/ledger.h"
#include "analysis/tables/timeline.h"

namespace speclab::analysis {

/// Measured speed-up against the predicted one, a mark a cell that drafts in at least half of its
/// rounds, a colour a drafter. Nothing for fewer than twelve, where the figures over temperature
/// tell every one apart.
std::optional<Figure> prediction_figure(const FigureData& data);

/// From the predicted to the measured walltime of a group, a bar a cause. @param name  of the
/// group's line
Figure ledger_figure(const Group& group, const Ledger& ledger, const std::string& name);

/// One generation of one prompt under every drafter, round by round: when each drafted, ran the
/// target and decided. The prompt is the one whose texts have most accepted tokens at the lowest
/// temperature. Nothing where no rounds are known.
/// @source the layout of Leviathan et al. 2023, Figure 5
std::optional<Figure> timeline_figure(const FigureData& data,
                                      const std::vector<TimelineRound>& rounds);

}  // namespace speclab::analysis
