#pragma once
#include <optional>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/tables/timeline.h"

namespace speclab::analysis {

/// One generation of one prompt under every drafter, round by round: when each drafted, ran the
/// target and decided. The prompt is the one whose texts have most accepted tokens at the lowest
/// temperature. Nothing where no rounds are known.
/// @source the layout of Leviathan et al. 2023, Figure 5
std::optional<Figure> timeline_figure(const FigureData& data,
                                      const std::vector<TimelineRound>& rounds);

}  // namespace speclab::analysis
