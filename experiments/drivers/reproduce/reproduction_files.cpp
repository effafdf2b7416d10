#include "experiments/drivers/reproduce/reproduction_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/plots/gnuplot.h"
#include "analysis/tables/comparisons.h"
#include "experiments/drivers/predict/text_table.h"
#include "experiments/drivers/program/build_info.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "-";
}

/// Measured numbers in four digits with their interval, the others in nine.
std::string ours(const Comparison& row) {
  if (!row.prompts) return number(row.ours);
  return row.interval ? fmt::format("{:.4g} [{:.4g}, {:.4g}]", row.ours, row.interval->low,
                                    row.interval->high)
                      : fmt::format("{:.4g}", row.ours);
}

std::optional<double> difference(const Comparison& row) {
  return row.reference ? std::optional(row.ours - *row.reference) : std::nullopt;
}

/// Empty where there is no number to have come from anywhere.
std::string origin(const Comparison& row) { return row.reference ? to_string(row.origin) : ""; }

std::string table_of(const Reproduction& reproduction) {
  TextTable table(
      {"setting", "quantity", "ours", "reference", "origin", "difference", "tolerance", "verdict"});
  for (const Comparison& row : reproduction.rows) {
    const auto off = difference(row);
    table.add_row({row.setting, row.quantity, ours(row), number(row.reference),
                   row.reference ? origin(row) : "-", off ? fmt::format("{:.2g}", *off) : "-",
                   row.tolerance ? fmt::format("{:.2g}", *row.tolerance) : "-",
                   to_string(row.verdict) + (row.note.empty() ? "" : ": " + row.note)});
  }
  return table.text();
}

std::string comparison_csv(const ReproductionName& name, const Reproduction& reproduction) {
  std::vector<analysis::ComparisonRow> rows;
  for (const Comparison& row : reproduction.rows)
    rows.push_back({.experiment = name.id,
                    .setting = row.setting,
                    .quantity = row.quantity,
                    .ours = row.ours,
                    .interval = row.interval,
                    .prompts = row.prompts,
                    .reference = row.reference,
                    .origin = origin(row),
                    .difference = difference(row),
                    .tolerance = row.tolerance,
                    .verdict = to_string(row.verdict),
                    .source = row.source,
                    .locator = row.locator,
                    .note = row.note});
  return analysis::comparisons_table().csv(rows);
}

std::string lines_of(const std::vector<std::string>& texts, const std::string& before) {
  std::string lines;
  for (const std::string& text : texts) lines += before + text + "\n";
  return lines;
}

}  // namespace

std::string reproduction_text(const ReproductionName& name, const Reproduction& reproduction,
                              const std::vector<Slip>& slips) {
  std::string text = fmt::format("{}: {}\n{}{}", name.id, name.title, table_of(reproduction),
                                 lines_of(reproduction.remarks, "note: "));
  for (const Slip& slip : slips)
    text += fmt::format("slip {} ({}, {}), there: {}; but: {}\n", slip.name, slip.source,
                        slip.locator, slip.printed, slip.right);
  return text + text_of(count_verdicts(reproduction.rows)) +
         text_of_slips(count_slips_of_text(slips)) + "\n";
}

std::string write_reproduction(const ReproductionName& name, const Reproduction& reproduction,
                               const ReproductionOutput& output) {
  const std::string folder = output.folder + "/" + name.id;
  make_folder(folder);
  write_file(folder + "/comparison.csv", comparison_csv(name, reproduction));
  std::filesystem::remove(folder + "/remarks.txt");
  if (!reproduction.remarks.empty())
    write_file(folder + "/remarks.txt", lines_of(reproduction.remarks, ""));
  if (output.figures)
    for (const analysis::Figure& figure : reproduction.figures)
      analysis::draw_static(figure, folder);
  return folder;
}

void write_summary(const std::vector<ReproductionSummary>& summaries, const std::string& folder) {
  std::vector<analysis::ComparisonSummaryRow> rows;
  for (const auto& [id, counts, slips_of_text] : summaries)
    rows.push_back({.experiment = id,
                    .rows = counts.rows(),
                    .agrees_printed = counts.agrees_printed,
                    .agrees_recomputed = counts.agrees_recomputed,
                    .input_rounding = counts.input_rounding,
                    .known_slips = counts.known_slips,
                    .context = counts.context,
                    .disagrees = counts.disagrees,
                    .slips_of_text = slips_of_text,
                    .revision = kRevision});
  write_file(folder + "/summary.csv", analysis::comparison_summary_table().csv(rows));
}

}  // namespace speclab::experiments
