#include "analysis/report/cell_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/report/sortable_table.h"

namespace speclab::analysis {
namespace {

struct Column : TableColumn {
  std::function<TableEntry(const CellSummary&)> entry;
};

std::vector<Column> axis_columns() {
  const auto text = [](const std::string Setting::* member) {
    return [member](const CellSummary& c) { return text_entry(c.axes.*member); };
  };
  return {{{"model", true}, text(&Setting::model)},
          {{"drafter", true},
           [](const CellSummary& c) {
             return text_entry(c.axes.is_plain() ? "plain decoding" : c.axes.drafter);
           }},
          {{"tree", true}, text(&Setting::tree)},
          {{"policy", true}, text(&Setting::policy)},
          {{"verifier", true}, text(&Setting::verifier)},
          {{"temperature", false},
           [](const CellSummary& c) { return setting_entry(c.axes.temperature); }},
          {{"top-k", false},
           [](const CellSummary& c) { return setting_entry(static_cast<double>(c.axes.top_k)); }},
          {{"top-p", false}, [](const CellSummary& c) { return setting_entry(c.axes.top_p); }},
          {{"min-p", false}, [](const CellSummary& c) { return setting_entry(c.axes.min_p); }},
          {{"repetition penalty", false},
           [](const CellSummary& c) { return setting_entry(c.axes.repetition_penalty); }},
          {{"prompts of", true}, [](const CellSummary& c) { return text_entry(c.category); }}};
}

std::string interval_of(const Prediction& prediction) {
  return prediction.speedup_interval
             ? fmt::format("{:.2f} to {:.2f}", prediction.speedup_interval->low,
                           prediction.speedup_interval->high)
             : "";
}

const Column kCellValues[] = {
    {{"prompts", false},
     [](const CellSummary& c) { return setting_entry(static_cast<double>(c.summary.n_prompts)); }},
    {{"generations", false},
     [](const CellSummary& c) { return setting_entry(static_cast<double>(c.summary.n_rows)); }},
    {{"walltime, ms", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.walltime_ns, 1e-6); }},
    {{"predicted, ms", false},
     [](const CellSummary& c) { return value_entry(c.summary.prediction.walltime_ns, 1e-6); }},
    {{"off by, %", false},
     [](const CellSummary& c) { return value_entry(c.prediction_error(), 100, 2); }},
    {{"at the measured pace, ms", false},
     [](const CellSummary& c) {
       return value_entry(c.summary.prediction.paced_walltime_ns, 1e-6);
     }},
    {{"then off by, %", false},
     [](const CellSummary& c) { return value_entry(c.paced_prediction_error(), 100, 2); }},
    {{"speed-up", false}, [](const CellSummary& c) { return estimate_entry(c.summary.speedup); }},
    {{"decoding alone", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.decoding_speedup); }},
    {{"median pair", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.pair_speedup); }},
    {{"speed-up predicted", false},
     [](const CellSummary& c) { return value_entry(c.summary.prediction.speedup); }},
    {{"predicted interval, 95 %", true},
     [](const CellSummary& c) { return text_entry(interval_of(c.summary.prediction)); }},
    {{"tokens per round", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.tokens_per_round); }},
    {{"acceptance rate", false},
     [](const CellSummary& c) { return estimate_entry(c.summary.acceptance_rate); }},
    {{"law off by", false},
     [](const CellSummary& c) { return value_entry(c.summary.law_distance); }},
    {{"rounds that draft, %", false},
     [](const CellSummary& c) { return value_entry(c.summary.drafting_fraction, 100); }},
    {{"MB read a token", false},
     [](const CellSummary& c) { return value_entry(c.summary.bytes_per_token, 1e-6); }},
    {{"J a token", false},
     [](const CellSummary& c) { return value_entry(c.summary.joules_per_token); }}};

bool varies(const Column& column, const std::vector<CellSummary>& cells) {
  std::set<std::string> values;
  for (const auto& cell : cells) values.insert(column.entry(cell).key);
  values.erase("");
  return values.size() > 1;
}

std::vector<Column> shown_columns(const std::vector<CellSummary>& cells) {
  std::vector<Column> columns = axis_columns();
  std::erase_if(columns, [&](const Column& column) {
    return column.title != "drafter" && !varies(column, cells);
  });
  const auto any = [&](const std::optional<double> GroupSummary::* value) {
    return std::ranges::any_of(
        cells, [=](const CellSummary& c) { return (c.summary.*value).has_value(); });
  };
  const std::map<std::string, bool> is_shown{
      {"law off by", any(&GroupSummary::law_distance)},
      {"MB read a token", any(&GroupSummary::bytes_per_token)},
      {"J a token", any(&GroupSummary::joules_per_token)}};
  for (const Column& column : kCellValues)
    if (const auto rare = is_shown.find(column.title); rare == is_shown.end() || rare->second)
      columns.push_back(column);
  return columns;
}

}  // namespace

std::string cell_table_html(const std::vector<CellSummary>& cells) {
  const auto columns = shown_columns(cells);
  std::vector<std::vector<TableEntry>> rows;
  for (const auto& cell : cells) {
    rows.emplace_back();
    for (const auto& column : columns) rows.back().push_back(column.entry(cell));
  }
  return sortable_table_html({columns.begin(), columns.end()}, rows);
}

}  // namespace speclab::analysis
