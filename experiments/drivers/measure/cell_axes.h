#pragma once
#include "analysis/tables/axes.h"
#include "engines/interface/sampling_options.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// The axes of a cell as tables have them.
analysis::CellAxes axes_of(const Cell& cell, const engines::SamplingOptions& sampling);

}  // namespace speclab::experiments
