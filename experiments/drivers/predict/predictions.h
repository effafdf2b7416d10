#pragma once
// What every cell is expected to do, from measured costs and pilots, before it is measured.

#include <memory>

#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/plan/plan.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

struct LoadedPlan;
class Workbench;

/// Walltimes a prompt, ns, one for each cell. @param costs  of the walltimes; the policies look at
/// those of the log, as when they run
std::vector<double> expected_walltimes(const LoadedPlan& loaded, const RunLog& log,
                                       const std::vector<CostEntry>& costs);

/// One entry for each cell, in order. The interval of a speed-up holds the spread among prompts
/// and, where the costs tell their passes, how much they differ from one to the next, in the costs
/// and in the generations that will be measured.
std::vector<PredictionEntry> predict_cells(const LoadedPlan& loaded, const RunLog& log,
                                           const std::vector<CostEntry>& costs);

/// Whether all is there that generations are measured from: pilots, costs and predictions. @param
/// log  looked at by the plan
bool is_prepared(const Plan& plan, const RunLog& log);

/// Adds the predictions to the log if they are not there.
void make_predictions(Workbench& bench);

}  // namespace speclab::experiments
