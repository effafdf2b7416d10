#include "experiments/drivers/run/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/tables/axes.h"
#include "analysis/tables/costs.h"
#include "analysis/tables/file_digests.h"
#include "experiments/drivers/measure/forward_costs.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/predictions.h"
#include "experiments/drivers/run/row_tables.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

using analysis::kRunFiles;

void add_row_files(const Plan& plan, const RunLog& log, std::vector<NamedFile>& files) {
  RowTables tables(plan, names_sections(log));
  log.for_each_row([&](const RowEntry& row) { tables.add(row); });
  if (!log.paces().empty())
    files.emplace_back("pace.csv", analysis::pace_table().csv(pace_rows(log)));
  std::ranges::move(std::move(tables).files(), std::back_inserter(files));
}

std::string predictions_csv(const std::vector<analysis::PredictionRow>& rows) {
  analysis::ColumnGroups groups =
      analysis::axis_groups(rows | std::views::transform(&analysis::PredictionRow::axes));
  groups.present.push_back(analysis::kIntervalGroup);
  return analysis::predictions_table().csv(rows, groups);
}

/// What the log makes; a table without rows is none.
std::vector<NamedFile> files_of(const LoadedPlan& loaded, const RunLog& log) {
  std::vector<NamedFile> files{{"manifest.toml", manifest_toml(loaded.plan, log)}};
  if (!log.costs().empty()) files.emplace_back("costs.csv", analysis::costs_csv(log.costs()));
  if (!log.predictions().empty())
    files.emplace_back("predictions.csv", predictions_csv(prediction_rows(loaded, log)));
  if (!log.cell_entries().empty())
    std::ranges::move(kind_steps(loaded.plan.config.kind).tables(loaded.plan, log),
                      std::back_inserter(files));
  if (!log.failures().empty())
    files.emplace_back("failures.csv",
                       analysis::failures_table().csv(failure_rows(loaded.plan, log)));
  if (!log.rows().empty()) add_row_files(loaded.plan, log, files);
  return files;
}

/// A file of an earlier attempt.
void take_away(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) std::filesystem::remove(path, error);
  if (error)
    throw WriteError(fmt::format("{}: cannot remove: {}; choose a folder you may write to", path,
                                 error.message()));
}

/// Walltimes by cell, predicted from what forwards cost while generations were measured; none where
/// that is not known.
std::vector<std::optional<double>> paced_walltimes(const LoadedPlan& loaded, const RunLog& log) {
  std::vector<std::optional<double>> walltimes(loaded.plan.cells.size());
  const std::vector<CostEntry> costs = analysis::paced_costs(log.costs(), pace_rows(log));
  if (costs.empty()) return walltimes;
  std::ranges::copy(expected_walltimes(loaded, log, costs), walltimes.begin());
  return walltimes;
}

}  // namespace

std::vector<std::string> run_file_names() {
  std::vector<std::string> names{analysis::kDigestsFile};
  names.insert(names.end(), kRunFiles.begin(), kRunFiles.end());
  return names;
}

void write_run_files(const LoadedPlan& loaded, const RunLog& log, const std::string& folder) {
  const std::vector<NamedFile> files = files_of(loaded, log);
  const std::string digests = folder + "/" + analysis::kDigestsFile;
  for (const auto& [name, content] : files)
    SPECLAB_EXPECT(std::ranges::find(kRunFiles, name) != kRunFiles.end(),
                   "a file that an earlier attempt may have left is known by name");
  take_away(digests);  // what does not hold while files change is not there
  for (const auto& [name, content] : files) write_file(fmt::format("{}/{}", folder, name), content);
  for (const char* name : kRunFiles)
    if (std::ranges::find(files, name, &NamedFile::first) == files.end())
      take_away(fmt::format("{}/{}", folder, name));
  write_file(digests, analysis::digest_lines(files));
}

/// The digests are written last: what they name was written, and is missing only where it was taken
/// away.
bool has_run_files(const Plan& plan, const RunLog& log, const std::string& folder) {
  const auto is_there = [&](const std::string& name) {
    return std::filesystem::exists(folder + "/" + name);
  };
  if (!is_there(analysis::kDigestsFile) || !is_there("manifest.toml")) return false;
  return std::ranges::all_of(analysis::digested_files(folder), is_there) &&
         read_file(folder + "/manifest.toml") == manifest_toml(plan, log);
}

int num_greedy_differences(const Plan& plan, const RunLog& log) {
  using Key = std::tuple<Setting, std::size_t, std::int32_t>;
  std::map<Key, std::set<std::string>> plain;
  std::vector<std::pair<Key, std::string>> others;
  log.for_each_row([&](const RowEntry& row) {
    const PlannedGeneration& g = plan.generations.at(static_cast<std::size_t>(row.row_id));
    const Cell& cell = plan.cells[g.cell];
    if (cell.setting.temperature != 0 || cell.is_replayed()) return;
    const Key key{cell.setting.plain(), g.prompt, plan.rival_repetition(g)};
    if (cell.is_plain())
      plain[key].insert(row.output_hash);
    else
      others.emplace_back(key, row.output_hash);
  });
  return static_cast<int>(std::ranges::count_if(others, [&](const auto& other) {
    const auto found = plain.find(other.first);
    return found != plain.end() && found->second != std::set{other.second};
  }));
}

std::vector<analysis::FailureRow> failure_rows(const Plan& plan, const RunLog& log) {
  constexpr std::size_t kLongestMessage = 500;
  std::vector<analysis::FailureRow> rows;
  for (const auto& [id, failure] : log.failures()) {
    const PlannedGeneration& generation = plan.generations.at(static_cast<std::size_t>(id));
    const Prompt& prompt = plan.prompts[generation.prompt];
    rows.push_back({.row_id = id,
                    .cell_id = plan.cells[generation.cell].id,
                    .prompt_id = prompt.id,
                    .repetition = generation.repetition,
                    .category = prompt.category,
                    .status = to_string(failure.status),
                    .message = escaped(failure.message, kLongestMessage),
                    .attempts = failure.attempts});
  }
  return rows;
}

std::vector<analysis::PredictionRow> prediction_rows(const LoadedPlan& loaded, const RunLog& log) {
  const std::vector<std::optional<double>> paced = paced_walltimes(loaded, log);
  std::vector<analysis::PredictionRow> rows;
  for (const PredictionEntry& entry : log.predictions()) {
    const Cell& cell = loaded.plan.cells.at(entry.cell);
    rows.push_back({.cell_id = cell.id,
                    .category = cell.category,
                    .axes = cell.written(),
                    .prediction = {.walltime_ns = entry.walltime_ns,
                                   .speedup = entry.speedup,
                                   .tokens_per_round = entry.tokens_per_round,
                                   .acceptance_rate = entry.acceptance_rate,
                                   .paced_walltime_ns = paced[entry.cell],
                                   .speedup_interval = entry.speedup_interval}});
  }
  return rows;
}

}  // namespace speclab::experiments
