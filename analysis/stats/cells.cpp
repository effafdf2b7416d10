#include "analysis/stats/cells.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

#include "analysis/stats/intervals.h"
#include "analysis/tables/cells.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

CellRow row_of(const CellSummary& cell) {
  const GroupSummary& s = cell.summary;
  return {.cell_id = cell.cell_id,
          .category = cell.category,
          .axes = cell.axes,
          .prediction = s.prediction,
          .n_prompts = static_cast<std::int64_t>(s.n_prompts),
          .n_rows = static_cast<std::int64_t>(s.n_rows),
          .walltime_ns = s.walltime_ns,
          .speedup = s.speedup,
          .decoding_speedup = s.decoding_speedup,
          .pair_speedup = s.pair_speedup,
          .tokens_per_round = s.tokens_per_round,
          .acceptance_rate = s.acceptance_rate,
          .accepted_fraction = s.accepted_fraction,
          .drafting_fraction = s.drafting_fraction,
          .draft_ns = s.split.draft_ns,
          .target_ns = s.split.target_ns,
          .verify_ns = s.split.verify_ns,
          .other_ns = s.split.other_ns,
          .lossless = s.lossless,
          .law_distance = s.law_distance,
          .forced_acceptance = s.forced_acceptance};
}

std::string category_of(const Generations& generations) {
  const auto same = [&](const Generation* g) { return g->category == generations[0]->category; };
  return std::ranges::all_of(generations, same) ? generations[0]->category : "all";
}

std::optional<double> error_of(const std::optional<double>& predicted_ns,
                               const GroupSummary& summary) {
  if (!predicted_ns) return std::nullopt;
  return std::abs(*predicted_ns - summary.walltime_ns.value) / summary.walltime_ns.value;
}

/// Over the cells that draft in at least half of their rounds and have the value.
template <typename ValueOf>
std::optional<Estimate> median_over(const std::vector<CellSummary>& cells, ValueOf value_of) {
  std::vector<double> values;
  for (const auto& cell : cells) {
    const std::optional<double> value = std::invoke(value_of, cell);
    if (value && cell.drafts_mostly()) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

/// Of the prediction's interval, where what it foretold was measured.
std::optional<double> relative_half_width(const CellSummary& cell) {
  const auto& interval = cell.summary.prediction.speedup_interval;
  if (!interval || !cell.summary.speedup) return std::nullopt;
  return (interval->high - interval->low) / (interval->high + interval->low);
}

bool is_inside(const CellSummary& cell) {
  const auto& interval = cell.summary.prediction.speedup_interval;
  return interval && cell.summary.speedup && cell.drafts_mostly() &&
         interval->low <= cell.summary.speedup->value &&
         cell.summary.speedup->value <= interval->high;
}

}  // namespace

std::optional<double> CellSummary::prediction_error() const {
  return error_of(summary.prediction.walltime_ns, summary);
}

std::optional<double> CellSummary::paced_prediction_error() const {
  return error_of(summary.prediction.paced_walltime_ns, summary);
}

std::optional<double> CellSummary::speedup_error() const {
  if (!summary.prediction.speedup || !summary.speedup) return std::nullopt;
  return std::abs(*summary.prediction.speedup - summary.speedup->value) / summary.speedup->value;
}

std::vector<CellSummary> summarise_cells(const Run& run, const Baseline& baseline,
                                         Bootstrap& bootstrap) {
  std::map<std::string, Generations> by_cell;
  for (const auto& g : run.generations) by_cell[g.cell_id].push_back(&g);
  std::vector<CellSummary> cells;
  for (const auto& [cell_id, generations] : by_cell) {
    for (const auto* g : generations) {
      if (g->axes != generations[0]->axes)
        throw DataError("rows.csv: cell_id " + escaped(cell_id) + " has rows of different axes");
    }
    cells.push_back({cell_id, category_of(generations), generations[0]->axes,
                     summarise(generations, run, baseline, bootstrap)});
  }
  std::ranges::sort(cells, {}, [](const CellSummary& cell) {
    return std::tuple(cell.axes.model, !cell.axes.is_plain(), cell.axes, cell.category);
  });
  return cells;
}

PredictionErrors median_prediction_errors(const std::vector<CellSummary>& cells) {
  return {.as_predicted = median_over(cells, &CellSummary::prediction_error),
          .at_pace = median_over(cells, &CellSummary::paced_prediction_error),
          .speedup = median_over(cells, &CellSummary::speedup_error),
          .half_width = median_over(cells, relative_half_width),
          .inside = static_cast<std::size_t>(std::ranges::count_if(cells, is_inside))};
}

std::string cells_csv(const std::vector<CellSummary>& cells) {
  std::vector<CellRow> rows;
  for (const CellSummary& cell : cells) rows.push_back(row_of(cell));
  return cells_table().csv(rows, axis_groups(cells | std::views::transform(&CellSummary::axes)));
}

}  // namespace speclab::analysis
