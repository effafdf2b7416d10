#include "experiments/drivers/run/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/tables/file_digests.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/run/run_journals.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

namespace fs = std::filesystem;

std::string digests_of(const std::string& folder) {
  return fmt::format("{}/{}", folder, analysis::kDigestsFile);
}

/// A journal that cannot be read, or that a later revision wrote, has no say where there are
/// tables.
bool is_finished(const std::string& run_folder, bool has_tables) {
  try {
    const RunLog log(run_folder, Journal::Tail::left);
    return !log.sections().empty() && log.sections().rbegin()->second.finished;
  } catch (const DataError&) {
    if (!has_tables) throw;
  } catch (const DriftError&) {
    if (!has_tables) throw;
  }
  return true;
}

/// The plan of the section that was opened last. Its config is that of a manifest, which may have
/// keys of earlier revisions.
Plan plan_of(const std::string& run_folder, const std::string& scratch) {
  const RunLog log(run_folder, Journal::Tail::left);
  if (log.sections().empty())
    throw DataError(run_folder +
                    ": its journal is still empty; ask again when something was measured");
  const HeaderEntry& header = log.sections().rbegin()->second.header;
  const std::string path = scratch + "/config.toml";
  write_file(path, header.config + "\n[provenance]\n");
  RunConfig config = read_run_config(path, {});
  config.question = header.question;
  return make_plan(config);
}

/// Cells that draft, in which something is still to be looked at.
std::set<std::size_t> open_drafting_cells(const Plan& plan, const RunLog& log) {
  const bool is_by_prompt = experiment_kind(plan.config.kind).is_by_prompt;
  std::set<std::size_t> open;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell)
    if (!plan.cells[cell].is_plain() && !is_by_prompt &&
        !log.cell_entries().contains({cell, std::nullopt}))
      open.insert(cell);
  for (const PlannedGeneration& g : plan.generations)
    if (!plan.cells[g.cell].is_plain() && is_by_prompt &&
        !log.cell_entries().contains({g.cell, g.prompt}))
      open.insert(g.cell);
  return open;
}

/// Of kinds that look at drafts only cells that draft count.
CellCount count_cells(const Plan& plan, const RunLog& log) {
  const auto drafting = static_cast<std::size_t>(
      std::ranges::count_if(plan.cells, [](const Cell& cell) { return !cell.is_plain(); }));
  switch (experiment_kind(plan.config.kind).yield) {
    case Yield::generations:
      return {plan.cells.size() - open_cells(plan, log).size(), plan.cells.size()};
    case Yield::drafts:
      return {drafting - open_drafting_cells(plan, log).size(), drafting};
    case Yield::costs:
      break;
  }
  return {};
}

/// A cost surface is kept whole or not at all.
void expect_something(const Plan& plan, const RunLog& log, const std::string& run_folder) {
  if (!log.rows().empty() || !log.cell_entries().empty()) return;
  throw DataError(fmt::format(
      "{}: no measurement for a report is there yet ({} of {} pilots{}); ask again later",
      run_folder, log.pilots().size(), plan.pilots.size(),
      log.costs().empty() ? "" : ", the cost surface"));
}

}  // namespace

bool is_unfinished(const std::string& run_folder) {
  std::error_code none;
  return fs::exists(run_folder + "/journal", none) &&
         !is_finished(run_folder, fs::exists(digests_of(run_folder), none));
}

bool has_tables_of(const std::string& run_folder, const std::string& scratch) {
  std::error_code none;
  return fs::exists(digests_of(run_folder), none) &&
         read_file(digests_of(run_folder)) == read_file(digests_of(scratch));
}

CellCount write_partial_run(const std::string& run_folder, const std::string& scratch,
                            const OpenEngines& open_engines) {
  const Plan plan = plan_of(run_folder, scratch);
  const RunJournals journals(plan, {.folder = run_folder, .lock = JournalAccess::Lock::none});
  if (!journals.has_header())
    throw DataError(
        fmt::format("{}: its config now makes another plan; were prompts edited, or is the working "
                    "directory another one? Run this where `speclab run` was",
                    run_folder));
  journals.check_nothing_lost();
  expect_something(plan, journals.log(), run_folder);
  const std::unique_ptr<engines::Engines> engines = open_engines();
  write_run_files(tokenized_plan(plan, *engines), journals.log(), scratch);
  return count_cells(plan, journals.log());
}

}  // namespace speclab::experiments
