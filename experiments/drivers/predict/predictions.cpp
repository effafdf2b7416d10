#include "experiments/drivers/predict/predictions.h"

#include <cmath>
#include <map>

#include "analysis/stats/intervals.h"
#include "analysis/stats/pair_costs.h"
#include "experiments/drivers/measure/cost_samples.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/cell_predictor.h"
#include "sim/statistics/jackknife.h"

namespace speclab::experiments {
namespace {

/// Both together. @source Welch and Satterthwaite: Satterthwaite 1946
Spread sum(const Spread& a, const Spread& b) {
  Spread both{.variance = a.variance + b.variance, .degrees = a.degrees + b.degrees};
  const double parts = (a.degrees > 0 ? a.variance * a.variance / a.degrees : 0) +
                       (b.degrees > 0 ? b.variance * b.variance / b.degrees : 0);
  if (parts > 0) both.degrees = both.variance * both.variance / parts;
  return both;
}

/// The plain cell that a cell's speed-up is over: its setting and category.
using PlainKey = std::pair<Setting, std::string>;
PlainKey plain_key_of(const Cell& cell) { return {cell.setting.plain(), cell.category}; }

/// Predictions without intervals.
std::vector<PredictionEntry> expectations(const LoadedPlan& loaded, const RunLog& log,
                                          const std::vector<CostEntry>& costs) {
  std::vector<PredictionEntry> entries;
  std::map<PlainKey, double> plain_ns;  // plain cells come before their rivals
  for (std::size_t i = 0; i < loaded.plan.cells.size(); ++i) {
    const Cell& cell = loaded.plan.cells[i];
    const Totals totals = CellPredictor(loaded, log, cell, costs).totals();
    PredictionEntry entry{.cell = i, .walltime_ns = totals.walltime_ns / totals.prompts};
    if (cell.is_plain()) plain_ns[plain_key_of(cell)] = entry.walltime_ns;
    entry.speedup = plain_ns.at(plain_key_of(cell)) / entry.walltime_ns;
    entry.tokens_per_round = totals.prompts * loaded.plan.config.prompts.new_tokens / totals.rounds;
    if (totals.tested > 0) entry.acceptance_rate = totals.accepted / totals.tested;
    entries.push_back(entry);
  }
  return entries;
}

/// By cell, what the predictions would be without each pass of the cost measurement.
using WithoutPass = std::vector<std::vector<PredictionEntry>>;

WithoutPass expectations_without_passes(const LoadedPlan& loaded, const RunLog& log,
                                        const std::vector<CostEntry>& costs) {
  WithoutPass without(loaded.plan.cells.size());
  const std::vector<int> passes = passes_of(costs);
  for (std::size_t i = 0; i < passes.size() && passes.size() > 1; ++i)
    for (const PredictionEntry& entry :
         expectations(loaded, log, costs_without_pass(costs, passes[i])))
      without[entry.cell].push_back(entry);
  return without;
}

/// Of the logarithm of what the mean over all passes makes of a cell.
Spread spread_over_passes(const std::vector<PredictionEntry>& without,
                          double PredictionEntry::* value) {
  std::vector<double> logarithms;
  for (const PredictionEntry& entry : without) logarithms.push_back(std::log(entry.*value));
  return {sim::jackknife_variance(logarithms), static_cast<double>(logarithms.size()) - 1};
}

/// Of the logarithm of a mean walltime over generations each of which meets a machine as fast or
/// slow as one pass over the costs did.
Spread spread_over_generations(const std::vector<PredictionEntry>& without,
                               std::int64_t generations) {
  Spread spread = spread_over_passes(without, &PredictionEntry::walltime_ns);
  spread.variance *= static_cast<double>(without.size()) / static_cast<double>(generations);
  return spread;
}

/// Of the logarithm of a cell's speed-up, because the machine is not as fast in one minute as in
/// the next: how the costs would be without each pass over them, and how the measured walltimes of
/// the cell and of plain decoding would be in other generations.
Spread machine_spread(const Plan& plan, const WithoutPass& without, std::size_t cell,
                      std::size_t plain) {
  if (without[cell].empty()) return {};
  const Spread measured =
      sum(spread_over_generations(without[cell], plan.num_generations(plan.cells[cell])),
          spread_over_generations(without[plain], plan.num_generations(plan.cells[plain])));
  return sum(spread_over_passes(without[cell], &PredictionEntry::speedup), measured);
}

}  // namespace

std::vector<double> expected_walltimes(const LoadedPlan& loaded, const RunLog& log,
                                       const std::vector<CostEntry>& costs) {
  std::vector<double> walltimes;
  for (const PredictionEntry& entry : expectations(loaded, log, costs))
    walltimes.push_back(entry.walltime_ns);
  return walltimes;
}

std::vector<PredictionEntry> predict_cells(const LoadedPlan& loaded, const RunLog& log,
                                           const std::vector<CostEntry>& costs) {
  std::vector<PredictionEntry> entries = expectations(loaded, log, costs);
  const WithoutPass without = expectations_without_passes(loaded, log, costs);
  std::map<PlainKey, std::size_t> plain;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Cell& cell = loaded.plan.cells[i];
    if (cell.is_plain()) plain[plain_key_of(cell)] = i;
    const auto of_prompts = CellPredictor(loaded, log, cell, costs).spread();
    if (!of_prompts) continue;
    const Spread spread =
        sum(*of_prompts, machine_spread(loaded.plan, without, i, plain.at(plain_key_of(cell))));
    entries[i].speedup_interval =
        analysis::log_interval(entries[i].speedup, std::sqrt(spread.variance), spread.degrees);
  }
  return entries;
}

bool is_prepared(const Plan& plan, const RunLog& log) {
  return log.pilots().size() == plan.pilots.size() && !log.costs().empty() &&
         !log.predictions().empty();
}

void make_predictions(Workbench& bench) {
  if (!bench.log().predictions().empty()) return;
  bench.progress().begin_phase("predictions", 1);
  bench.log().add(predict_cells(bench.loaded(), bench.log(), bench.log().costs()));
  bench.progress().end_phase();
}

}  // namespace speclab::experiments
