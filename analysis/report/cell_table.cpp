#include "analysis/report/cell_table.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"

namespace speclab::analysis {
namespace {

/// A table cell: what is shown and what is sorted by; an empty key sorts last.
struct Entry {
  std::string html;
  std::string key;
};

struct Column {
  std::string title;
  bool is_text = false;
  std::function<Entry(const CellSummary&)> entry;
};

Entry text_entry(const std::string& text) { return {.html = html_escaped(text.empty() ? "–" : readable(text)), .key = text}; }
Entry setting_entry(double value) { return {.html = short_number(value, 9), .key = fmt::format("{}", value)}; }

Entry estimate_entry(const std::optional<Estimate>& estimate, double factor = 1, int digits = 3) {
  if (!estimate) return {.html = "–", .key = ""};
  const EstimateText text = estimate_text(*estimate, factor, digits);
  const std::string interval = text.low.empty() ? "" : fmt::format(" <small>[{}, {}]</small>", text.low, text.high);
  return {.html = text.value + interval, .key = fmt::format("{}", estimate->value * factor)};
}

Entry value_entry(const std::optional<double>& value, double factor = 1, int digits = 3) {
  if (!value) return {.html = "–", .key = ""};
  return estimate_entry(Estimate{.value = *value, .interval = std::nullopt, .n = 1}, factor, digits);
}

std::vector<Column> axis_columns() {
  const auto text = [](const std::string CellAxes::* member) { return [member](const CellSummary& c) { return text_entry(c.axes.*member); }; };
  return {{"model", true, text(&CellAxes::model)},
          {"drafter", true, [](const CellSummary& c) { return text_entry(c.axes.is_plain() ? "plain decoding" : c.axes.drafter); }},
          {"tree", true, text(&CellAxes::tree)},
          {"policy", true, text(&CellAxes::policy)},
          {"verifier", true, text(&CellAxes::verifier)},
          {"temperature", false, [](const CellSummary& c) { return setting_entry(c.axes.temperature); }},
          {"top-k", false, [](const CellSummary& c) { return setting_entry(static_cast<double>(c.axes.top_k)); }},
          {"top-p", false, [](const CellSummary& c) { return setting_entry(c.axes.top_p); }},
          {"min-p", false, [](const CellSummary& c) { return setting_entry(c.axes.min_p); }},
          {"repetition penalty", false, [](const CellSummary& c) { return setting_entry(c.axes.repetition_penalty); }},
          {"prompts of", true, [](const CellSummary& c) { return text_entry(c.category); }}};
}

std::vector<Column> value_columns() {
  return {{"prompts", false, [](const CellSummary& c) { return setting_entry(static_cast<double>(c.summary.n_prompts)); }},
          {"generations", false, [](const CellSummary& c) { return setting_entry(static_cast<double>(c.summary.n_rows)); }},
          {"walltime, ms", false, [](const CellSummary& c) { return estimate_entry(c.summary.walltime_ns, 1e-6); }},
          {"predicted, ms", false, [](const CellSummary& c) { return value_entry(c.summary.prediction.paced_walltime_ns ? c.summary.prediction.paced_walltime_ns : c.summary.prediction.walltime_ns, 1e-6); }},
          {"off by, %", false, [](const CellSummary& c) { return value_entry(c.summary.prediction.paced_walltime_ns ? c.paced_prediction_error() : c.prediction_error(), 100, 2); }},
          {"speed-up", false, [](const CellSummary& c) { return estimate_entry(c.summary.speedup); }},
          {"predicted", false, [](const CellSummary& c) { return value_entry(c.summary.prediction.speedup); }},
          {"tokens per round", false, [](const CellSummary& c) { return estimate_entry(c.summary.tokens_per_round); }},
          {"acceptance rate", false, [](const CellSummary& c) { return estimate_entry(c.summary.acceptance_rate); }},
          {"rounds that draft, %", false, [](const CellSummary& c) { return value_entry(c.summary.drafting_fraction, 100); }}};
}

bool varies(const Column& column, const std::vector<CellSummary>& cells) {
  std::set<std::string> values;
  for (const auto& cell : cells) values.insert(column.entry(cell).key);
  values.erase("");
  return values.size() > 1;
}

std::vector<Column> shown_columns(const std::vector<CellSummary>& cells) {
  std::vector<Column> columns = axis_columns();
  std::erase_if(columns, [&](const Column& column) { return column.title != "drafter" && !varies(column, cells); });
  for (auto& column : value_columns()) columns.push_back(std::move(column));
  return columns;
}

}  // namespace

std::string cell_table_html(const std::vector<CellSummary>& cells) {
  const auto columns = shown_columns(cells);
  std::string html = "<div class=\"scroll\"><table class=\"cells\"><thead><tr>";
  for (const auto& column : columns) {
    html += fmt::format("<th data-sortable scope=\"col\"{}><button type=\"button\">{}</button></th>", column.is_text ? " class=\"text\"" : "", column.title);
  }
  html += "</tr></thead><tbody>\n";
  for (const auto& cell : cells) {
    html += "<tr>";
    for (const auto& column : columns) {
      const Entry entry = column.entry(cell);
      html += fmt::format("<td{} data-value=\"{}\">{}</td>", column.is_text ? " class=\"text\"" : "", html_escaped(entry.key), entry.html);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>";
}

}  // namespace speclab::analysis
