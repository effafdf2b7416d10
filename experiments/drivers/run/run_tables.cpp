#include "experiments/drivers/run/run_tables.h"

#include <algorithm>

#include "experiments/drivers/measure/forward_costs.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/predictions.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Walltimes by cell, predicted from what forwards cost while generations were measured; none where
/// that is not known.
std::vector<std::optional<double>> paced_walltimes(const LoadedPlan& loaded, const RunLog& log) {
  std::vector<std::optional<double>> walltimes(loaded.plan.cells.size());
  const std::vector<CostEntry> costs = analysis::paced_costs(log.costs(), pace_rows(log));
  if (costs.empty()) return walltimes;
  std::ranges::copy(expected_walltimes(loaded, log, costs), walltimes.begin());
  return walltimes;
}

}  // namespace

std::vector<analysis::FailureRow> failure_rows(const Plan& plan, const RunLog& log) {
  constexpr std::size_t kLongestMessage = 500;
  std::vector<analysis::FailureRow> rows;
  for (const auto& [id, failure] : log.failures()) {
    const PlannedGeneration& generation = plan.generations.at(static_cast<std::size_t>(id));
    const Prompt& prompt = plan.prompts[generation.prompt];
    rows.push_back({.row_id = id,
                    .cell_id = plan.cells[generation.cell].id,
                    .prompt_id = prompt.id,
                    .repetition = generation.repetition,
                    .category = prompt.category,
                    .status = to_string(failure.status),
                    .message = escaped(failure.message, kLongestMessage),
                    .attempts = failure.attempts});
  }
  return rows;
}

std::vector<analysis::PredictionRow> prediction_rows(const LoadedPlan& loaded, const RunLog& log) {
  const std::vector<std::optional<double>> paced = paced_walltimes(loaded, log);
  std::vector<analysis::PredictionRow> rows;
  for (const PredictionEntry& entry : log.predictions()) {
    const Cell& cell = loaded.plan.cells.at(entry.cell);
    rows.push_back({.cell_id = cell.id,
                    .category = cell.category,
                    .axes = cell.written(),
                    .prediction = {.walltime_ns = entry.walltime_ns,
                                   .speedup = entry.speedup,
                                   .tokens_per_round = entry.tokens_per_round,
                                   .acceptance_rate = entry.acceptance_rate,
                                   .paced_walltime_ns = paced[entry.cell],
                                   .speedup_interval = entry.speedup_interval}});
  }
  return rows;
}

}  // namespace speclab::experiments
