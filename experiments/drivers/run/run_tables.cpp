#include "experiments/drivers/run/run_tables.h"

#include <algorithm>

#include "experiments/drivers/measure/pace.h"
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

analysis::CellAxes axes_of(const Cell& cell, const engines::SamplingOptions& sampling) {
  return {.model = cell.model,
          .drafter = cell.drafting.drafter,
          .tree = cell.drafting.tree,
          .policy = cell.policy,
          .verifier = cell.verifier,
          .temperature = cell.temperature,
          .top_k = sampling.top_k,
          .top_p = sampling.top_p,
          .min_p = sampling.min_p,
          .repetition_penalty = sampling.repetition_penalty};
}

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
                    .axes = axes_of(cell, loaded.plan.config.sampling),
                    .prediction = {.walltime_ns = entry.walltime_ns,
                                   .speedup = entry.speedup,
                                   .tokens_per_round = entry.tokens_per_round,
                                   .acceptance_rate = entry.acceptance_rate,
                                   .paced_walltime_ns = paced[entry.cell],
                                   .speedup_interval = entry.speedup_interval}});
  }
  return rows;
}

std::vector<analysis::AtlasRow> atlas_rows(const Plan& plan, const RunLog& log) {
  std::vector<analysis::AtlasRow> rows;
  for (const auto& [index, entry] : log.atlas()) {
    const Cell& cell = plan.cells[index];
    for (const AtlasRuleEntry& rule : entry.rules)
      rows.push_back({.cell_id = cell.id,
                      .category = cell.category,
                      .axes = axes_of(cell, plan.config.sampling),
                      .rule = rule.rule,
                      .drafts = rule.drafts,
                      .lossless = rule.lossless,
                      .distance = rule.distance,
                      .logged_drafts = entry.rows,
                      .trials = rule.trials,
                      .acceptance = rule.acceptance,
                      .tokens_per_round = rule.tokens_per_round});
  }
  return rows;
}

std::vector<analysis::AcceptanceRow> acceptance_rows(const Plan& plan, const RunLog& log) {
  std::vector<analysis::AcceptanceRow> rows;
  for (const auto& [key, entry] : log.acceptances()) {
    const Cell& cell = plan.cells[entry.cell];
    const Prompt& prompt = plan.prompts[entry.prompt];
    for (std::size_t i = 0; i < std::max<std::size_t>(1, entry.depths.size()); ++i)
      rows.push_back({.cell_id = cell.id,
                      .category = prompt.category,
                      .prompt_id = prompt.id,
                      .axes = axes_of(cell, plan.config.sampling),
                      .positions = entry.positions,
                      .depth = static_cast<int>(i + 1),
                      .sums = i < entry.depths.size() ? entry.depths[i] : analysis::DepthSums{}});
  }
  return rows;
}

std::vector<analysis::SiblingRow> sibling_rows(const Plan& plan, const RunLog& log) {
  std::vector<analysis::SiblingRow> rows;
  for (const auto& [key, entry] : log.acceptances()) {
    const Cell& cell = plan.cells[entry.cell];
    const Prompt& prompt = plan.prompts[entry.prompt];
    for (const auto& [place, sums] : entry.siblings)
      rows.push_back({.cell_id = cell.id,
                      .category = prompt.category,
                      .prompt_id = prompt.id,
                      .axes = axes_of(cell, plan.config.sampling),
                      .place = place,
                      .sums = sums});
  }
  return rows;
}

}  // namespace speclab::experiments
