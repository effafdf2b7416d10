#include "experiments/drivers/commands/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/io/training_curve.h"
#include "analysis/plots/gnuplot.h"
#include "analysis/plots/training_figures.h"
#include "analysis/report/report.h"
#include "experiments/drivers/commands/distinct_folders.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

void expect_there(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) throw ConfigError(fmt::format("{}: {}; give the folder of a run or of a training", escaped(folder, 200), error ? error.message() : "is not there"));
}

bool is_of_trainings(const ReportCommandOptions& options) { return std::ranges::all_of(options.folders, analysis::is_training_folder); }

void check_run(const ReportCommandOptions& options) {
  const auto other = std::ranges::find_if_not(options.folders, analysis::is_training_folder);
  if (options.folders.size() > 1) throw ConfigError(fmt::format("{} has no training.csv; allowed: one run, or folders of trainings", escaped(*other, 200)));
  if (!options.output.empty()) throw ConfigError("--output is for the figures of trainings; the report of a run stands in its folder");
  if (options.are_stages) throw ConfigError("--stages is for trainings; leave it out for a run");
}

/// Curves of folders with one name are told apart by their paths.
std::vector<analysis::TrainingCurve> read_curves(const std::vector<std::string>& folders) {
  std::vector<analysis::TrainingCurve> curves;
  for (const std::string& folder : folders) curves.push_back(analysis::read_training_curve(folder));
  const auto is_told_twice = [&](const std::string& name) { return std::ranges::count(curves, name, &analysis::TrainingCurve::name) > 1; };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < folders.size(); ++i) names.push_back(is_told_twice(curves[i].name) ? escaped(folders[i]) : curves[i].name);
  for (std::size_t i = 0; i < folders.size(); ++i) curves[i].name = names[i];
  return curves;
}

std::string figure_folder(const ReportCommandOptions& options) {
  if (!options.output.empty()) return options.output;
  if (options.folders.size() > 1) throw ConfigError("figures of several trainings need a folder; give --output");
  return options.folders.front() + "/figures";
}

void print_end(const analysis::TrainingCurve& curve) {
  const analysis::TrainingPoint& last = curve.points.back();
  const analysis::HeldOutPoint& first = last.held_out.front();
  fmt::print("{}: after {:.0f} tokens a held-out loss of {:.3f} nats, acceptance {:.3f}, most likely token equal {:.3f}", curve.name, last.tokens, first.loss, first.acceptance, first.agreement);
  if (last.held_out.size() > 1) fmt::print("; {:.3f} tokens a round with {} drafts, taken as independent", last.tokens_per_round(), last.held_out.size());
  fmt::print("\n");
}

int report_trainings(const ReportCommandOptions& options) {
  if (!options.plotly_js.empty()) throw ConfigError("--plotly is for the page of a run; of trainings figures are drawn");
  if (!options.static_figures && !options.output.empty()) throw ConfigError("--output and --no-static-figures contradict each other; give one");
  expect_distinct_folders(options.folders);
  const std::string output = options.static_figures ? figure_folder(options) : "";
  if (options.are_stages && options.folders.size() < 2) throw ConfigError("--stages with one folder; allowed: the folders of trainings that went on from each other, the first one first");
  std::vector<analysis::TrainingCurve> curves = read_curves(options.folders);
  for (const analysis::TrainingCurve& curve : curves) print_end(curve);
  if (output.empty()) return 0;
  if (options.are_stages) curves = {analysis::joined_stages(curves)};
  make_folder(output);
  for (const analysis::Figure& figure : analysis::training_figures(curves)) analysis::draw_static(figure, output);
  fmt::print("{}\n", escaped(output));
  return 0;
}

}  // namespace

int run_report(const ReportCommandOptions& options) {
  for (const std::string& folder : options.folders) expect_there(folder);
  if (is_of_trainings(options)) return report_trainings(options);
  check_run(options);
  const analysis::ReportSummary summary = analysis::write_report(options.folders.front(), {.plotly_js = options.plotly_js, .static_figures = options.static_figures});
  fmt::print("{}\n", summary.answer);
  fmt::print("{}\n", summary.report_path);
  return 0;
}

}  // namespace speclab::experiments
