#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/plots/gnuplot.h"
#include "analysis/plots/kind_figures.h"
#include "analysis/tables/file_digests.h"
#include "analysis/tables/training_curve.h"
#include "experiments/drivers/program/command_folders.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/run/run_files.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

void expect_there(const std::string& folder) {
  std::error_code error;
  const auto status = std::filesystem::status(folder, error);
  if (std::filesystem::is_directory(status)) return;
  const std::string what = std::filesystem::exists(status) ? "is no folder"
                           : status.type() == std::filesystem::file_type::not_found
                               ? "is not there"
                               : error.message();
  throw ConfigError(
      fmt::format("{}: {}; give the folder of a run or of a training", escaped(folder, 200), what));
}

bool is_of_trainings(const ReportCommandOptions& options) {
  return std::ranges::all_of(options.folders, analysis::is_training_folder);
}

bool has(const std::string& folder, const char* file) {
  std::error_code none;
  return std::filesystem::exists(fmt::format("{}/{}", folder, file), none);
}

/// @throws DataError for a folder that holds nothing to report on
void expect_run(const std::string& folder) {
  if (has(folder, "manifest.toml") || has(folder, "journal")) return;
  const char* found = has(training_folder(folder), "checkpoint.bin")
                          ? "of a training that has not ended; the same speclab train goes on"
                          : "neither a run (manifest.toml, journal) nor a finished training "
                            "(training.csv); give the folder of one";
  throw DataError(fmt::format("{}: {}", escaped(folder, 200), found));
}

void check_run(const ReportCommandOptions& options) {
  const auto other = std::ranges::find_if_not(options.folders, analysis::is_training_folder);
  if (options.folders.size() > 1)
    throw ConfigError(fmt::format(
        "{} has no training.csv; allowed: one run, or folders of trainings", escaped(*other, 200)));
  if (options.are_stages) throw ConfigError("--stages is for trainings; leave it out for a run");
}

/// Curves of folders with one name are told apart by their paths.
std::vector<analysis::TrainingCurve> read_curves(const std::vector<std::string>& folders) {
  std::vector<analysis::TrainingCurve> curves;
  for (const std::string& folder : folders) curves.push_back(analysis::read_training_curve(folder));
  const auto is_told_twice = [&](const std::string& name) {
    return std::ranges::count(curves, name, &analysis::TrainingCurve::name) > 1;
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < folders.size(); ++i)
    names.push_back(is_told_twice(curves[i].name) ? escaped(folders[i]) : curves[i].name);
  for (std::size_t i = 0; i < folders.size(); ++i) curves[i].name = names[i];
  return curves;
}

std::string figure_folder(const ReportCommandOptions& options) {
  if (!options.output.empty()) return options.output;
  if (options.folders.size() > 1)
    throw ConfigError("figures of several trainings need a folder; give --output");
  return options.folders.front() + "/figures";
}

void print_end(const analysis::TrainingCurve& curve) {
  const analysis::TrainingPoint& last = curve.points.back();
  const analysis::HeldOutPoint& first = last.held_out.front();
  fmt::print(
      "{}: after {:.0f} tokens a held-out loss of {:.3f} nats, acceptance {:.3f}, most likely "
      "token equal {:.3f}",
      curve.name, last.tokens, first.loss, first.acceptance, first.agreement);
  if (last.held_out.size() > 1)
    fmt::print("; {:.3f} tokens a round with {} drafts, taken as independent",
               last.tokens_per_round(), last.held_out.size());
  fmt::print("\n");
}

int report_trainings(const ReportCommandOptions& options) {
  if (!options.plotly_js.empty())
    throw ConfigError("--plotly is for the page of a run; trainings get figures only");
  if (!options.static_figures && !options.output.empty())
    throw ConfigError("--output and --no-static-figures contradict each other; give one");
  expect_distinct_folders(options.folders);
  const std::string output = options.static_figures ? figure_folder(options) : "";
  if (options.are_stages && options.folders.size() < 2)
    throw ConfigError(
        "--stages with one folder; allowed: the folders of trainings that continue each other, in "
        "their order");
  std::vector<analysis::TrainingCurve> curves = read_curves(options.folders);
  for (const analysis::TrainingCurve& curve : curves) print_end(curve);
  if (output.empty()) return 0;
  if (options.are_stages) curves = {analysis::joined_stages(curves)};
  make_folder(output);
  for (const analysis::Figure& figure : analysis::training_figures(curves))
    analysis::draw_static(figure, output);
  fmt::print("{}\n", escaped(output, kLongestPath));
  return 0;
}

analysis::ReportSummary report_tables(const ReportCommandOptions& options) {
  return analysis::write_report(options.folders.front(), {.plotly_js = options.plotly_js,
                                                          .static_figures = options.static_figures,
                                                          .opening = "",
                                                          .output = options.output});
}

/// The report of another run would replace that run's own.
void check_output(const ReportCommandOptions& options) {
  const std::string& output = options.output;
  std::error_code none;
  if (output.empty() || std::filesystem::equivalent(output, options.folders.front(), none)) return;
  if (has(output, "manifest.toml") || has(output, "journal") || has(output, "training.csv"))
    throw ConfigError(
        fmt::format("--output {}: holds a run or a training of its own; choose another folder",
                    escaped(output, 200)));
  const std::filesystem::path whole = std::filesystem::weakly_canonical(output, none),
                              run = std::filesystem::canonical(options.folders.front(), none),
                              from_run = whole.lexically_relative(run);
  if (!from_run.empty() && *from_run.begin() != "..")
    throw ConfigError(
        fmt::format("--output {}: lies in the run folder; leave --output out to report there, or "
                    "choose a folder outside",
                    escaped(output, 200)));
  const std::vector<std::string> own{"report.html"};
  if (!options.into_used_folder) refuse_used_folder(output, own);
}

/// Under a name of its own first: the run, when it ends, writes the same page.
std::string put_page(const std::string& page, const std::string& folder) {
  const std::string path = folder + "/report.html", scratch = path + ".partial";
  copy_file(page, scratch);
  std::error_code error;
  std::filesystem::rename(scratch, path, error);
  if (error)
    throw WriteError(
        fmt::format("{}: cannot write: {}; give --output", escaped(path, 200), error.message()));
  return path;
}

/// In the run folder the page only: tables and figures would stand beside those that the run writes
/// at its end.
analysis::ReportSummary report_partially(const ReportCommandOptions& options) {
  const std::string& folder = options.folders.front();
  const ScratchFolder scratch;
  const CellCount cells = write_partial_run(folder, scratch.path(), open_engines);
  if (has_tables_of(folder, scratch.path())) return report_tables(options);
  const std::string progress = fmt::format("{} of {} cells are complete", cells.done, cells.all);
  fmt::print(stderr,
             "{}: the run has not ended, so this is a partial report, made from its journal: {}\n",
             escaped(folder), progress);
  analysis::ReportSummary summary = analysis::write_report(
      scratch.path(), {.plotly_js = options.plotly_js,
                       .static_figures = options.static_figures && !options.output.empty(),
                       .opening = fmt::format("{}{}. ", analysis::kPartialOpening, progress),
                       .output = options.output});
  if (!options.output.empty()) return summary;
  if (!is_unfinished(folder)) return report_tables(options);  // it has ended since
  summary.report_path = put_page(summary.report_path, folder);
  return summary;
}

/// Where the journal gives no partial report, as after a config was edited or the folder copied
/// elsewhere, the tables that are there give theirs.
analysis::ReportSummary report_partially_or_tables(const ReportCommandOptions& options) {
  const bool has_tables = has(options.folders.front(), analysis::kDigestsFile);
  try {
    return report_partially(options);
  } catch (const Error& error) {
    if (!has_tables) throw;
    fmt::print(stderr, "{}; this report is made from the tables of the folder\n", error.what());
  }
  return report_tables(options);
}

}  // namespace

analysis::ReportSummary make_run_report(const ReportCommandOptions& options) {
  const std::string& folder = options.folders.front();
  expect_there(folder);
  check_run(options);
  expect_run(folder);
  check_output(options);
  return is_unfinished(folder) ? report_partially_or_tables(options) : report_tables(options);
}

std::string closing_line(const analysis::ReportSummary& summary) {
  const std::string path = escaped(summary.report_path, kLongestPath);
  if (summary.worth.empty()) return path;
  return path.empty() ? summary.worth : fmt::format("{} Open {}", summary.worth, path);
}

int run_report(const ReportCommandOptions& asked) {
  ReportCommandOptions options = asked;
  for (std::string& folder : options.folders) {
    expect_there(folder);
    folder = newest_version(folder);
  }
  if (is_of_trainings(options)) return report_trainings(options);
  const analysis::ReportSummary summary = make_run_report(options);
  fmt::print("{}\n", summary.answer);
  if (const std::string line = closing_line(summary); !line.empty()) fmt::print("{}\n", line);
  return 0;
}

}  // namespace speclab::experiments
