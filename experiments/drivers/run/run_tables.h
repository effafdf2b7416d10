#pragma once
// Rows of the tables of a run folder beside its generations: failures, predictions, atlas and
// acceptance.

#include <vector>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/axes.h"
#include "analysis/tables/failures.h"
#include "analysis/tables/predictions.h"
#include "analysis/tables/siblings.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

struct LoadedPlan;

/// The axes of a cell as tables have them.
analysis::CellAxes axes_of(const Cell& cell, const engines::SamplingOptions& sampling);

std::vector<analysis::FailureRow> failure_rows(const Plan& plan, const RunLog& log);
std::vector<analysis::PredictionRow> prediction_rows(const LoadedPlan& loaded, const RunLog& log);
std::vector<analysis::AtlasRow> atlas_rows(const Plan& plan, const RunLog& log);
std::vector<analysis::AcceptanceRow> acceptance_rows(const Plan& plan, const RunLog& log);
std::vector<analysis::SiblingRow> sibling_rows(const Plan& plan, const RunLog& log);

}  // namespace speclab::experiments
