#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiments/drivers/commands/run.h"
#include "experiments/drivers/predict/text_table.h"
#include "experiments/drivers/reproduce/crosswalk.h"
#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "experiments/drivers/reproduce/reproduction_files.h"
#include "experiments/drivers/reproduce/tables/tables.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

void print_list() {
  for (const PaperExperiment& experiment : paper_experiments())
    fmt::print("{:20} {}\n", experiment.id, experiment.title);
  for (const MeasuredTable& table : measured_tables())
    fmt::print("{:20} {}; measured\n", table.id, table.title);
}

void print_conversions(const std::vector<std::string>& metrics) {
  TextTable table({"metric", "value", "conversion", "counts"});
  for (const ConvertedMetric& metric : convert_metrics(metrics))
    table.add_row({metric.name->name, fmt::format("{:.6g}", metric.value),
                   metric.assumes_independence ? "if acceptances are independent" : "exact",
                   metric.name->definition});
  fmt::print("{}", table.text());
}

/// @throws ConfigError where nothing or too much is asked for
std::vector<std::string> chosen(const ReproduceOptions& options) {
  if (options.all_analytic && !options.ids.empty())
    throw ConfigError("--all-analytic and names contradict each other; give one");
  std::vector<std::string> ids = options.ids;
  if (options.all_analytic)
    for (const PaperExperiment& experiment : paper_experiments()) ids.emplace_back(experiment.id);
  for (const std::string& id : ids)
    if (std::ranges::count(ids, id) > 1)
      throw ConfigError(escaped(id, 60) + " is given twice; give it once");
  if (ids.empty())
    throw ConfigError("nothing to reproduce; give names, --all-analytic, or --list to see them");
  return ids;
}

const MeasuredTable* measured_table(const std::string& id) {
  const auto found = std::ranges::find(measured_tables(), id, &MeasuredTable::id);
  return found == measured_tables().end() ? nullptr : &*found;
}

/// Everything that can be said before the first is measured.
void check_measuring(const std::vector<std::string>& ids, const ReproduceOptions& options) {
  for (const std::string& id : ids)
    if (!measured_table(id)) paper_experiment(id);
  const auto measured = std::ranges::find_if(
      ids, [](const std::string& id) { return measured_table(id) != nullptr; });
  const int ways = int{options.quick} + int{options.full} + int{!options.from.empty()};
  if (ways > 1) throw ConfigError("--quick, --full and --from contradict each other; give one");
  if (measured != ids.end() && ways == 0)
    throw ConfigError(
        *measured +
        " is measured; give --quick (minutes for most sweeps on two cores, an hour for "
        "cost_of_exactness), --full (longer), or --from with a folder of sweeps");
  if (measured == ids.end() && ways > 0)
    throw ConfigError("--quick, --full and --from are for measured tables; --list names them");
}

/// Before hours of measuring, a folder that cannot be written is found. @throws WriteError
void make_output_folders(const std::vector<std::string>& ids, const ReproduceOptions& options) {
  if (!options.quick && !options.full) return;
  for (const std::string& id : ids) make_folder(options.output + "/" + id);
}

/// FOLDER/NAME, or what --full or --quick made of it.
std::string measured_before(const std::string& folder, const std::string& name) {
  std::string path = fmt::format("{}/{}", folder, name);
  for (const char* size : {"_full", "_quick"})
    if (std::filesystem::exists(path + size)) return path + size;
  return path;
}

/// The sweeps of a table, measured where they are not there yet.
RunFolders sweeps_of(const MeasuredTable& table, const ReproduceOptions& options) {
  RunFolders folders;
  const auto folder_of = [&](const char* name) {
    return options.from.empty() ? fmt::format("{}/runs/{}_{}", options.output, name,
                                              options.quick ? "quick" : "full")
                                : measured_before(options.from, name);
  };
  for (const char* name : table.runs) {
    const PaperRun& run = paper_run(name);
    const std::string folder = folder_of(name);
    const bool is_there = std::filesystem::exists(folder);
    if (run.is_extra && (options.quick || (!options.from.empty() && !is_there))) continue;
    folders[name] = folder;
    if (options.from.empty())
      run_run({.config = config_of(run),
               .settings = options.quick ? run.quick_settings : std::vector<std::string>{},
               .output = folders[name]});
  }
  return folders;
}

/// @throws DataError where the numbers of a folder of one's own are out of a formula's range
Reproduction rebuilt(const std::string& id, const Papers& papers, const ReproduceOptions& options) {
  if (const MeasuredTable* table = measured_table(id))
    return table->compare(papers, sweeps_of(*table, options));
  try {
    Reproduction reproduction = paper_experiment(id).run(papers);
    for (const Comparison& row : reproduction.rows)
      SPECLAB_EXPECT(std::isfinite(row.ours), row.setting + ", " + row.quantity + " is not finite");
    return reproduction;
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {
    if (!options.data) throw;
    throw DataError(fmt::format("{}: {}: {}; put back the number that was changed", *options.data,
                                id, error.what()));
  }
}

std::string title_of(const std::string& id) {
  const MeasuredTable* table = measured_table(id);
  return table ? table->title : paper_experiment(id).title;
}

Reproduction judged(const std::string& id, const Papers& papers, const std::vector<Slip>& slips,
                    const ReproduceOptions& options) {
  Reproduction reproduction = rebuilt(id, papers, options);
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
  const std::vector<std::string> ids = chosen(options);
  check_measuring(ids, options);
  make_output_folders(ids, options);
  remove_summary(options.output);
  for (const std::string& id : ids) {
    const std::vector<Slip> slips = papers.slips(id);
    const Reproduction reproduction = judged(id, papers, slips, options);
    const ReproductionName name{id, title_of(id)};
    fmt::print("{}", reproduction_text(name, reproduction, slips));
    summaries.push_back({id, count_verdicts(reproduction.rows), count_slips_of_text(slips)});
    total.add(summaries.back().counts);
    slips_of_text += summaries.back().slips_of_text;
    fmt::print("{}\n\n",
               write_reproduction(name, reproduction,
                                  {.folder = options.output, .figures = options.figures}));
  }
  write_summary(summaries, options.output);
  if (summaries.size() > 1)
    fmt::print("{} tables and figures, {}{}\n", summaries.size(), text_of(total),
               text_of_slips(slips_of_text));
  return static_cast<int>(total.disagrees == 0 ? ExitCode::ok : ExitCode::drift);
}

}  // namespace speclab::experiments
