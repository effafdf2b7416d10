#include "analysis/stats/cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "analysis/stats/median.h"
#include "analysis/tables/csv_writer.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 46> kColumns = {"cell_id",
                                                       "category",
                                                       "model",
                                                       "drafter",
                                                       "tree",
                                                       "policy",
                                                       "verifier",
                                                       "temperature",
                                                       "top_k",
                                                       "top_p",
                                                       "min_p",
                                                       "repetition_penalty",
                                                       "predicted_walltime_ns",
                                                       "predicted_speedup",
                                                       "predicted_tokens_per_round",
                                                       "predicted_acceptance_rate",
                                                       "paced_walltime_ns",
                                                       "n_prompts",
                                                       "n_rows",
                                                       "walltime_ns",
                                                       "walltime_ns_low",
                                                       "walltime_ns_high",
                                                       "speedup",
                                                       "speedup_low",
                                                       "speedup_high",
                                                       "decoding_speedup",
                                                       "decoding_speedup_low",
                                                       "decoding_speedup_high",
                                                       "pair_speedup",
                                                       "pair_speedup_low",
                                                       "pair_speedup_high",
                                                       "tokens_per_round",
                                                       "tokens_per_round_low",
                                                       "tokens_per_round_high",
                                                       "acceptance_rate",
                                                       "acceptance_rate_low",
                                                       "acceptance_rate_high",
                                                       "accepted_fraction",
                                                       "drafting_fraction",
                                                       "draft_ns",
                                                       "target_ns",
                                                       "verify_ns",
                                                       "other_ns",
                                                       "lossless",
                                                       "law_distance",
                                                       "forced_acceptance"};

void write_axes(const CellSummary& cell, CsvWriter& csv) {
  csv.field(cell.cell_id).field(cell.category).field(cell.axes.model).field(cell.axes.drafter);
  for (const auto* text : {&cell.axes.tree, &cell.axes.policy, &cell.axes.verifier}) {
    text->empty() ? csv.missing() : csv.field(*text);
  }
  csv.field(cell.axes.temperature)
      .field(cell.axes.top_k)
      .field(cell.axes.top_p)
      .field(cell.axes.min_p);
  csv.field(cell.axes.repetition_penalty);
}

void write_estimate(const std::optional<Estimate>& estimate, CsvWriter& csv) {
  if (!estimate) {
    csv.missing().missing().missing();
  } else if (!estimate->interval) {
    csv.field(estimate->value).missing().missing();
  } else {
    csv.field(estimate->value).field(estimate->interval->low).field(estimate->interval->high);
  }
}

void write_cell(const CellSummary& cell, CsvWriter& csv) {
  const GroupSummary& s = cell.summary;
  write_axes(cell, csv);
  csv.field(s.prediction.walltime_ns)
      .field(s.prediction.speedup)
      .field(s.prediction.tokens_per_round)
      .field(s.prediction.acceptance_rate);
  csv.field(s.prediction.paced_walltime_ns);
  csv.field(static_cast<std::int64_t>(s.n_prompts)).field(static_cast<std::int64_t>(s.n_rows));
  write_estimate(s.walltime_ns, csv);
  write_estimate(s.speedup, csv);
  write_estimate(s.decoding_speedup, csv);
  write_estimate(s.pair_speedup, csv);
  write_estimate(s.tokens_per_round, csv);
  write_estimate(s.acceptance_rate, csv);
  csv.field(s.accepted_fraction).field(s.drafting_fraction);
  csv.field(s.split.draft_ns)
      .field(s.split.target_ns)
      .field(s.split.verify_ns)
      .field(s.split.other_ns);
  csv.field(static_cast<std::int64_t>(s.lossless))
      .field(s.law_distance)
      .field(static_cast<std::int64_t>(s.forced_acceptance));
  csv.end_row();
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
  CsvWriter csv(kColumns);
  for (const auto& cell : cells) write_cell(cell, csv);
  return csv.content();
}

}  // namespace speclab::analysis
