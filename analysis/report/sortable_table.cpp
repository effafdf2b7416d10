#include "analysis/report/html.h"

#include <fmt/format.h>

#include "analysis/plots/figure_text.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

std::string class_of(const TableColumn& column) { return column.is_text ? " class=\"text\"" : ""; }

std::string interval_data(const TableEntry& entry) {
  return entry.low.empty()
             ? ""
             : fmt::format(" data-low=\"{}\" data-high=\"{}\"", entry.low, entry.high);
}

std::string row_html(const std::vector<TableColumn>& columns, const std::vector<TableEntry>& row) {
  SPECLAB_EXPECT(row.size() == columns.size(), "a row has an entry a column");
  std::string html = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i)
    html += fmt::format("<td{} data-value=\"{}\"{}>{}</td>", class_of(columns[i]),
                        html_escaped(row[i].key), interval_data(row[i]), row[i].html);
  return html + "</tr>\n";
}

}  // namespace

TableEntry text_entry(const std::string& text) {
  return {.html = html_escaped(text.empty() ? "–" : readable(text)), .key = text};
}

TableEntry setting_entry(double value) {
  return {.html = short_number(value, 9), .key = fmt::format("{}", value)};
}

TableEntry estimate_entry(const std::optional<Estimate>& estimate, double factor, int digits) {
  if (!estimate) return {.html = "–", .key = ""};
  const EstimateText text = estimate_text(*estimate, factor, digits);
  const std::string interval =
      text.low.empty() ? "" : fmt::format(" <small>[{}, {}]</small>", text.low, text.high);
  TableEntry entry{.html = text.value + interval,
                   .key = fmt::format("{}", estimate->value * factor)};
  if (estimate->interval) {
    entry.low = fmt::format("{}", estimate->interval->low * factor);
    entry.high = fmt::format("{}", estimate->interval->high * factor);
  }
  return entry;
}

TableEntry value_entry(const std::optional<double>& value, double factor, int digits) {
  if (!value) return {.html = "–", .key = ""};
  return estimate_entry(Estimate{.value = *value, .interval = std::nullopt, .n = 1}, factor,
                        digits);
}

std::string sortable_table_html(const std::vector<TableColumn>& columns,
                                const std::vector<std::vector<TableEntry>>& rows) {
  std::string html = "<div class=\"scroll\"><table class=\"cells\"><thead><tr>";
  for (const auto& column : columns)
    html +=
        fmt::format("<th data-sortable scope=\"col\"{}><button type=\"button\">{}</button></th>",
                    class_of(column), column.title);
  html += "</tr></thead><tbody>\n";
  for (const auto& row : rows) html += row_html(columns, row);
  return html +
         "</tbody></table></div>\n<p class=\"copy\"><button type=\"button\" data-copy>Copy as "
         "CSV</button> <output></output></p>\n";
}

}  // namespace speclab::analysis
