#include "analysis/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/plots/figures.h"
#include "analysis/plots/gnuplot.h"
#include "analysis/report/html.h"
#include "analysis/report/kind_reports.h"
#include "analysis/report/page.h"
#include "analysis/tables/file_digests.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::analysis {
namespace {

/// A kind of experiment: the table that a committed run of it keeps, raw tables, their figures.
struct RawTables {
  const char* kind;
  const char* kept;
  std::vector<std::string> tables, figures;
};

const std::vector<RawTables>& raw_tables() {
  static const std::vector<RawTables> kinds{
      {"decoding",
       "cells.csv",
       {"rows.csv", "rounds.csv", "times.csv"},
       {"walltime_vs_temperature", "speedup", "tokens_per_round", "predicted_speedup",
        "walltime_vs_model_size", "speedup_vs_drafter_size", "tokens_per_round_vs_drafter_size",
        "speedup_by_category", "acceptance_by_position", "time_split", "policy_regret", "ledger",
        "timeline"}},
      {"drafter_acceptance",
       "acceptance_counts.csv",
       {"acceptance.csv"},
       {"acceptance_over_temperature", "acceptance_by_category", "acceptance_by_depth",
        "in_top_k"}}};
  return kinds;
}

bool has_table(const std::string& folder, const std::string& file) {
  return std::filesystem::exists(folder + "/" + file);
}

std::string read_plotly(const std::string& path) {
  const std::string file = path.empty() ? fetched_file("plotly/plotly.min.js") : path;
  try {
    std::string script = read_file(file);
    if (script.find("plotly") == std::string::npos)
      throw DataError(
          fmt::format("{}: a file without the word plotly; allowed: plotly.min.js", escaped(file)));
    return script;
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + "; scripts/setup fetches plotly.js, or name one");
  }
}

/// A run, and how its report is made.
struct ReportedRun {
  const std::string& folder;
  const Manifest& manifest;
  const ReportOptions& options;
  const std::string& plotly_js;

  /// Figures and page, the last things that every kind of report writes.
  void write_pages(const std::vector<Figure>& figures, const std::string& page) const {
    if (options.static_figures) {
      make_folder(options.output + "/figures");
      for (const auto& figure : figures) draw_static(figure, options.output + "/figures");
    }
    write_file(options.output + "/report.html", page);
  }
};

using KindReportMaker = KindReport (*)(const std::string& run_folder, const Manifest& manifest);

/// The report of a kind that compares no cells.
ReportSummary write_kind_report(const ReportedRun& run, KindReportMaker make) {
  const auto [figures, kind_answer, tables] = make(run.folder, run.manifest);
  const std::string answer = run.options.opening + kind_answer;
  run.write_pages(
      figures,
      document_html(
          {.manifest = run.manifest, .figures = figures, .answer = answer, .tables = tables},
          run.plotly_js));
  return {.report_path = run.options.output + "/report.html",
          .answer = answer,
          .prediction_errors = {},
          .figures = figures};
}

std::vector<CostRow> read_costs_if_any(const std::string& run_folder) {
  const std::string path = run_folder + "/costs.csv";
  return std::filesystem::exists(path) ? read_costs(path) : std::vector<CostRow>{};
}

/// The page of a committed run without rows, which shows its costs; no page if it has none.
ReportSummary write_report_without_rows(const ReportedRun& run, const MissingTables& missing) {
  const std::string note = missing_note(run.folder, missing);
  if (!has_table(run.folder, "costs.csv"))
    return {.report_path = {}, .answer = note, .prediction_errors = {}, .figures = {}};
  ReportOptions with_note = run.options;
  with_note.opening += note + " ";
  return write_kind_report({run.folder, run.manifest, with_note, run.plotly_js}, cost_report);
}

std::vector<Figure> all_figures(const FigureData& data, Bootstrap& bootstrap,
                                const std::vector<PolicyComparison>& policies,
                                const RunLedgers& ledgers, const std::string& run_folder) {
  auto figures = build_figures(data, bootstrap);
  std::ranges::move(regret_figures(policies), std::back_inserter(figures));
  if (const GroupLedger* shown = shown_ledger(data, ledgers.pooled))
    figures.push_back(
        ledger_figure(*shown->group, shown->ledger, line_name(data.pooled, *shown->group)));
  if (auto timeline = timeline_figure(data, read_timeline(run_folder + "/timeline.csv", data.run)))
    figures.push_back(std::move(*timeline));
  return figures;
}

ReportSummary write_decoding_report(const ReportedRun& reported) {
  const std::string& run_folder = reported.folder;
  const ReportOptions& options = reported.options;
  const Run run = read_run(run_folder);
  const Baseline baseline(run);
  Bootstrap bootstrap(run.manifest.seed);
  const FigureData data{.run = run,
                        .pooled = pooled_groups(run, baseline, bootstrap),
                        .by_category = groups_by_category(run, baseline, bootstrap)};
  const auto cells = summarise_cells(run, baseline, bootstrap);
  const std::vector<CostRow> costs = read_costs_if_any(run_folder);
  const std::vector<PolicyComparison> policies =
      policy_comparisons(run, data.pooled, costs, bootstrap);
  const LedgerMaker maker(run, costs, pace_table().read_if_there(run_folder + "/pace.csv"));
  const RunLedgers ledgers{
      .pooled = ledgers_of(data.pooled, maker),
      .by_category = ledgers_of(data.by_category, maker),
      .cells_are_pooled = std::ranges::any_of(
          cells, [](const CellSummary& cell) { return cell.category == "all"; })};
  const std::vector<Figure> figures = all_figures(data, bootstrap, policies, ledgers, run_folder);
  ReportSummary summary{.report_path = options.output + "/report.html",
                        .answer = {},
                        .worth = worth_sentence(data),
                        .prediction_errors = median_prediction_errors(cells),
                        .figures = figures,
                        .num_cells = cells.size()};
  summary.answer = options.opening + answer_sentence(data, summary.prediction_errors);
  write_file(options.output + "/cells.csv", cells_csv(cells));
  if (!ledgers.pooled.empty()) write_file(options.output + "/ledger.csv", ledger_csv(ledgers));
  if (!policies.empty()) write_file(options.output + "/regret.csv", regret_csv(policies));
  reported.write_pages(figures, page_html({data, cells, figures, ledgers, policies,
                                           read_drafts(run_folder + "/drafts.jsonl", run),
                                           summary.answer, summary.prediction_errors},
                                          reported.plotly_js));
  return summary;
}

}  // namespace

MissingTables missing_tables(const std::string& run_folder, const std::string& kind) {
  const auto found = std::ranges::find(raw_tables(), kind, &RawTables::kind);
  if (found == raw_tables().end() || !has_table(run_folder, found->kept)) return {};
  const std::vector<std::string> digested = digested_files(run_folder);
  MissingTables missing;
  for (const std::string& table : found->tables) {
    if (has_table(run_folder, table)) continue;
    if (std::ranges::count(digested, table) > 0) return {};
    missing.tables.push_back(table);
  }
  if (missing.any()) missing.figures = found->figures;
  return missing;
}

std::string missing_note(const std::string& run_folder, const MissingTables& missing) {
  return fmt::format(
      "Missing tables: {}. Figures that are therefore not drawn: {}. To draw them, measure the run "
      "again: speclab run {}/manifest.toml --output results/runs/NAME.",
      fmt::join(missing.tables, ", "), fmt::join(missing.figures, ", "),
      escaped(run_folder, kLongestPath));
}

ReportSummary write_report(const std::string& run_folder, const ReportOptions& given) {
  ReportOptions options = given;
  if (options.output.empty()) options.output = run_folder;
  const std::string plotly_js = read_plotly(options.plotly_js);
  check_unchanged(run_folder);
  const Manifest manifest = read_manifest(run_folder + "/manifest.toml");
  make_folder(options.output);
  const ReportedRun run{run_folder, manifest, options, plotly_js};
  if (const MissingTables missing = missing_tables(run_folder, manifest.kind); missing.any())
    return write_report_without_rows(run, missing);
  for (const auto& [kind, make] : {std::pair{"cost_surface", &cost_report},
                                   {"rule_atlas", &atlas_report},
                                   {"drafter_acceptance", &acceptance_report}})
    if (manifest.kind == kind) return write_kind_report(run, make);
  return write_decoding_report(run);
}

bool is_partial_report(const std::string& path) {
  return read_file(path).find(std::string("<p class=\"answer\">") + kPartialOpening) !=
         std::string::npos;
}

}  // namespace speclab::analysis
