#pragma once
// Rows of the tables of a run folder beside its generations: failures and predictions.

#include <vector>

#include "analysis/tables/generation_tables.h"
#include "analysis/tables/predictions.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

struct LoadedPlan;

std::vector<analysis::FailureRow> failure_rows(const Plan& plan, const RunLog& log);
std::vector<analysis::PredictionRow> prediction_rows(const LoadedPlan& loaded, const RunLog& log);

}  // namespace speclab::experiments
