#include "experiments/drivers/reproduce/reproduction_files.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "analysis/plots/gnuplot.h"
#include "analysis/tables/csv_writer.h"
#include "experiments/drivers/predict/text_table.h"
#include "experiments/drivers/program/build_info.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

using analysis::CsvWriter;

constexpr std::array<std::string_view, 15> kComparisonColumns = {
    "experiment",    "setting", "quantity",  "ours",    "ours_low",
    "ours_high",     "prompts", "reference", "origin",  "difference",
    "tolerance_abs", "verdict", "source",    "locator", "note"};
constexpr std::array<std::string_view, 10> kSummaryColumns = {
    "experiment",  "rows",    "agrees_printed", "agrees_recomputed", "input_rounding",
    "known_slips", "context", "disagrees",      "slips_of_text",     "revision"};

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

CsvWriter& field(CsvWriter& csv, const std::string& text) {
  return text.empty() ? csv.missing() : csv.field(text);
}

std::string comparison_csv(const ReproductionName& name, const Reproduction& reproduction) {
  CsvWriter csv(kComparisonColumns);
  for (const Comparison& row : reproduction.rows) {
    csv.field(name.id);
    field(csv, row.setting)
        .field(row.quantity)
        .field(row.ours)
        .field(row.interval ? std::optional(row.interval->low) : std::nullopt)
        .field(row.interval ? std::optional(row.interval->high) : std::nullopt)
        .field(row.prompts ? std::optional<std::int64_t>(*row.prompts) : std::nullopt)
        .field(row.reference);
    field(csv, origin(row))
        .field(difference(row))
        .field(row.tolerance)
        .field(to_string(row.verdict));
    field(csv, row.source);
    field(csv, row.locator);
    field(csv, row.note);
    csv.end_row();
  }
  return csv.content();
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
  CsvWriter csv(kSummaryColumns);
  for (const auto& [id, counts, slips_of_text] : summaries) {
    csv.field(id);
    for (const int count :
         {counts.rows(), counts.agrees_printed, counts.agrees_recomputed, counts.input_rounding,
          counts.known_slips, counts.context, counts.disagrees, slips_of_text})
      csv.field(std::int64_t{count});
    csv.field(kRevision);
    csv.end_row();
  }
  write_file(folder + "/summary.csv", csv.content());
}

}  // namespace speclab::experiments
