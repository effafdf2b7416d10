#include "experiments/drivers/run/run_experiment.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "analysis/io/file_digests.h"
#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/run/manifest.h"
#include "experiments/drivers/run/run_files.h"
#include "experiments/drivers/run/run_lock.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

/// The config first: it is known before anything is loaded.
void check_same_config(const Plan& plan, const HeaderEntry& begun, const std::string& folder) {
  HeaderEntry now = begun;
  now.config = to_toml(plan.config);
  check_same_origin(begun, now, folder);
}

/// Results without their journal cannot be resumed, and to write beside them would mix two runs.
void refuse_results_without_journal(const std::string& folder) {
  for (const char* file : kRunFiles)
    if (std::filesystem::exists(folder + "/" + file))
      throw DataError(fmt::format("{}/{} is there without a journal to resume from; give another --output, or move it away", folder, file));
}

/// Ids of a journal whose digests are right must still be the plan's.
void check_ids(const Plan& plan, const RunLog& log, const std::string& folder) {
  const auto check = [&](const char* what, std::int64_t id, std::size_t count) {
    if (id < 0 || id >= static_cast<std::int64_t>(count))
      throw DataError(fmt::format("{}/journal: {} {}; this plan has {}; give another --output", folder, what, id, count));
  };
  for (const auto& [row_id, row] : log.rows()) check("row_id", row_id, plan.generations.size());
  for (const auto& [row_id, pace] : log.paces()) check("row_id", row_id, plan.generations.size());
  for (const auto& [pilot, rounds] : log.pilots()) check("pilot", static_cast<std::int64_t>(pilot), plan.pilots.size());
  for (const auto& [cell, entry] : log.atlas()) check("atlas of cell", static_cast<std::int64_t>(cell), plan.cells.size());
  for (const PredictionEntry& prediction : log.predictions()) check("prediction of cell", static_cast<std::int64_t>(prediction.cell), plan.cells.size());
}

void begin_or_resume(const LoadedPlan& loaded, const RunOptions& options, RunLog& log, Progress& progress) {
  if (log.num_bytes_cut() > 0)
    progress.note(fmt::format("{}/journal: an unfinished last line of {} bytes was cut off; its generation is repeated", options.folder, log.num_bytes_cut()));
  const HeaderEntry now = make_header(loaded);
  if (!log.header()) return log.add(now);
  check_same_origin(*log.header(), now, options.folder);
  log.secure();
  progress.note(fmt::format("{}: resumed with {} of {} generations", options.folder, log.rows().size(), loaded.plan.generations.size()));
}

void repair_journal(const std::string& folder, Progress& progress) {
  const JournalRepair repair = Journal::repair(folder);
  if (!repair.original.empty())
    progress.note(fmt::format("{} of {} lines of {}/journal were damaged; what they held is measured anew, the damaged file is {}", repair.num_lost,
                              repair.num_kept + repair.num_lost, folder, repair.original));
}

/// Runs the kind; the files are written also when it ends early, unless nothing can be written.
void run_kind(const LoadedPlan& loaded, const RunOptions& options, RunLog& log, Progress& progress) {
  Workbench bench(loaded, log, progress, options.check_interruption);
  try {
    experiment_kind(loaded.plan.config.kind).run(bench);
  } catch (const Error& error) {
    progress.end_phase();
    if (error.code() != ExitCode::cannot_write) write_run_files(loaded, log, options.folder);
    throw;
  }
  write_run_files(loaded, log, options.folder);
  if (!log.finished()) log.add_end();
}

}  // namespace

RunOutcome run_experiment(const Plan& plan, const RunOptions& options, const std::function<std::unique_ptr<engines::Engines>()>& open_engines, Progress& progress) {
  std::optional<RunLock> lock;
  std::optional<RunLog> log;
  std::error_code error;
  const bool has_journal = std::filesystem::exists(options.folder + "/journal", error);
  if (error) throw WriteError(fmt::format("{}: {}; choose another --output", escaped(options.folder, 200), error.message()));
  if (has_journal) {
    lock.emplace(options.folder, options.network_folder);
    if (options.repair) repair_journal(options.folder, progress);
    log.emplace(options.folder);
    if (log->header()) check_same_config(plan, *log->header(), options.folder);
    check_ids(plan, *log, options.folder);
    if (!options.repair) analysis::check_unchanged(options.folder);
    if (log->finished() && has_run_files(*log, options.folder) && analysis::changed_files(options.folder).empty()) return RunOutcome::was_complete;
  }
  if (!log || !log->header()) refuse_results_without_journal(options.folder);
  const std::unique_ptr<engines::Engines> engines = open_engines();
  const LoadedPlan loaded = load_plan(plan, *engines);
  make_folder(options.folder);
  if (!lock) lock.emplace(options.folder, options.network_folder);
  if (!log) log.emplace(options.folder);
  begin_or_resume(loaded, options, *log, progress);
  run_kind(loaded, options, *log, progress);
  return RunOutcome::completed;
}

}  // namespace speclab::experiments
