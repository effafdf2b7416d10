#pragma once
#include <vector>

#include "analysis/plots/figures.h"

namespace speclab::analysis {

/// Speed-up and tokens a round over the parameters of the drafters, a line for every temperature
/// and policy of one kind of drafter; none where the config names fewer than three drafters of a
/// kind, all of other sizes, whose parameters the manifest has.
std::vector<Figure> drafter_size_figures(const FigureData& data);

}  // namespace speclab::analysis
