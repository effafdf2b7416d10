#include "experiments/drivers/commands/reproduce.h"

#include <fmt/format.h>
#include <speclab_revision.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiments/drivers/predict/text_table.h"
#include "experiments/drivers/reproduce/crosswalk.h"
#include "experiments/drivers/reproduce/experiments.h"
#include "experiments/drivers/reproduce/reproduction_files.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

void print_list() {
  for (const PaperExperiment& experiment : paper_experiments()) fmt::print("{:20} {}\n", experiment.id, experiment.title);
}

void print_conversions(const std::vector<std::string>& metrics) {
  TextTable table({"metric", "value", "conversion", "counts"});
  for (const ConvertedMetric& metric : convert_metrics(metrics))
    table.add_row({metric.name->name, fmt::format("{:.6g}", metric.value), metric.assumes_independence ? "if acceptances are independent" : "exact",
                   metric.name->definition});
  fmt::print("{}", table.text());
}

/// @throws ConfigError where nothing or too much is asked for
std::vector<const PaperExperiment*> chosen(const ReproduceOptions& options) {
  if (options.all_analytic && !options.ids.empty()) throw ConfigError("--all-analytic and names contradict each other; give one");
  std::vector<const PaperExperiment*> experiments;
  if (options.all_analytic)
    for (const PaperExperiment& experiment : paper_experiments()) experiments.push_back(&experiment);
  for (const std::string& id : options.ids) {
    if (std::ranges::count(options.ids, id) > 1) throw ConfigError(escaped(id, 60) + " is given twice; give it once");
    experiments.push_back(&paper_experiment(id));
  }
  if (experiments.empty()) throw ConfigError("nothing to reproduce; give names, --all-analytic, or --list to see them");
  return experiments;
}

/// @throws DataError where the numbers of a folder of one's own are out of a formula's range
Reproduction rebuilt(const PaperExperiment& experiment, const Papers& papers, const ReproduceOptions& options) {
  try {
    Reproduction reproduction = experiment.run(papers);
    for (const Comparison& row : reproduction.rows) SPECLAB_EXPECT(std::isfinite(row.ours), row.setting + ", " + row.quantity + " is not finite");
    return reproduction;
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {
    if (!options.data) throw;
    throw DataError(fmt::format("{}: {}: {}; put back the number that was changed", *options.data, experiment.id, error.what()));
  }
}

Reproduction judged(const PaperExperiment& experiment, const Papers& papers, const std::vector<Slip>& slips, const ReproduceOptions& options) {
  Reproduction reproduction = rebuilt(experiment, papers, options);
  judge(reproduction, slips);
  return reproduction;
}

/// An empty name would mean the root folder.
void check_folders(const ReproduceOptions& options) {
  if (options.output.empty()) throw ConfigError("--output ''; allowed: a folder");
  if (options.data && options.data->empty()) throw ConfigError("--data ''; allowed: a folder");
}

/// A summary that is there while rows are rewritten would be another run's.
void remove_summary(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove(folder + "/summary.csv", ignored);
}

bool is_conversion(const ReproduceOptions& options) {
  if (options.metrics.empty()) return false;
  if (options.all_analytic || options.ids != std::vector<std::string>{"metric_crosswalk"})
    throw ConfigError("--metric converts numbers for metric_crosswalk; give that name alone");
  return true;
}

}  // namespace

int run_reproduce(const ReproduceOptions& options) {
  if (options.list) {
    print_list();
    return 0;
  }
  if (is_conversion(options)) {
    print_conversions(options.metrics);
    return 0;
  }
  check_folders(options);
  const Papers papers(options.data);
  VerdictCounts total;
  int slips_of_text = 0;
  std::vector<ReproductionSummary> summaries;
  const std::vector<const PaperExperiment*> experiments = chosen(options);
  remove_summary(options.output);
  for (const PaperExperiment* experiment : experiments) {
    const std::vector<Slip> slips = papers.slips(experiment->id);
    const Reproduction reproduction = judged(*experiment, papers, slips, options);
    fmt::print("{}", reproduction_text(*experiment, reproduction, slips));
    summaries.push_back({experiment->id, count_verdicts(reproduction.rows), count_slips_of_text(slips)});
    total.add(summaries.back().counts);
    slips_of_text += summaries.back().slips_of_text;
    fmt::print("{}\n\n", write_reproduction(*experiment, reproduction, {.folder = options.output, .figures = options.figures}));
  }
  write_summary(summaries, options.output);
  if (summaries.size() > 1) fmt::print("{} tables and figures, {}{}\n", summaries.size(), text_of(total), text_of_slips(slips_of_text));
  return static_cast<int>(total.disagrees == 0 ? ExitCode::ok : ExitCode::drift);
}

}  // namespace speclab::experiments
