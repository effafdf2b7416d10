#include "experiments/drivers/reproduce/reproduction_files.h"

#include <fmt/format.h>
#include <speclab_revision.h>

#include <array>
#include <string_view>

#include "analysis/io/csv_writer.h"
#include "analysis/plots/gnuplot.h"
#include "experiments/drivers/predict/text_table.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

using analysis::CsvWriter;

constexpr std::array<std::string_view, 11> kComparisonColumns = {"experiment",    "setting", "quantity", "ours",    "paper", "difference",
                                                                 "tolerance_abs", "verdict", "source",   "locator", "note"};
constexpr std::array<std::string_view, 7> kSummaryColumns = {"experiment", "rows", "agrees", "known_slips", "context", "disagrees", "revision"};

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.9g}", *value) : "-"; }

std::optional<double> difference(const Comparison& row) { return row.paper ? std::optional(row.ours - *row.paper) : std::nullopt; }

std::string table_of(const Reproduction& reproduction) {
  TextTable table({"setting", "quantity", "ours", "paper", "difference", "tolerance", "verdict"});
  for (const Comparison& row : reproduction.rows) {
    const auto off = difference(row);
    table.add_row({row.setting, row.quantity, number(row.ours), number(row.paper), off ? fmt::format("{:.2g}", *off) : "-",
                   row.tolerance ? fmt::format("{:.2g}", *row.tolerance) : "-", to_string(row.verdict) + (row.note.empty() ? "" : ": " + row.note)});
  }
  return table.text();
}

CsvWriter& field(CsvWriter& csv, const std::string& text) { return text.empty() ? csv.missing() : csv.field(text); }

std::string comparison_csv(const PaperExperiment& experiment, const Reproduction& reproduction) {
  CsvWriter csv(kComparisonColumns);
  for (const Comparison& row : reproduction.rows) {
    csv.field(experiment.id);
    field(csv, row.setting)
        .field(row.quantity)
        .field(row.ours)
        .field(row.paper)
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

}  // namespace

std::string reproduction_text(const PaperExperiment& experiment, const Reproduction& reproduction, const std::vector<Slip>& slips) {
  std::string text = fmt::format("{}: {}\n{}", experiment.id, experiment.title, table_of(reproduction));
  for (const std::string& remark : reproduction.remarks) text += "note: " + remark + "\n";
  for (const Slip& slip : slips)
    text += fmt::format("slip {} ({}, {}): printed \"{}\"; {}\n", slip.name, slip.source, slip.locator, slip.printed, slip.right);
  return text + text_of(count_verdicts(reproduction.rows)) + "\n";
}

std::string write_reproduction(const PaperExperiment& experiment, const Reproduction& reproduction, const ReproductionOutput& output) {
  const std::string folder = output.folder + "/" + experiment.id;
  make_folder(folder);
  write_file(folder + "/comparison.csv", comparison_csv(experiment, reproduction));
  if (output.figures)
    for (const analysis::Figure& figure : reproduction.figures) analysis::draw_static(figure, folder);
  return folder;
}

void write_summary(const std::vector<ReproductionSummary>& summaries, const std::string& folder) {
  CsvWriter csv(kSummaryColumns);
  for (const auto& [id, counts] : summaries) {
    const int rows = counts.agrees + counts.known_slips + counts.context + counts.disagrees;
    csv.field(id);
    for (const int count : {rows, counts.agrees, counts.known_slips, counts.context, counts.disagrees}) csv.field(std::int64_t{count});
    csv.field(SPECLAB_REVISION);
    csv.end_row();
  }
  write_file(folder + "/summary.csv", csv.content());
}

}  // namespace speclab::experiments
