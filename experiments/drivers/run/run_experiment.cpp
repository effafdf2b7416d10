#include "experiments/drivers/run/run_experiment.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

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

void begin_or_resume(const LoadedPlan& loaded, const RunOptions& options, RunLog& log, Progress& progress) {
  if (log.num_bytes_cut() > 0)
    progress.note(fmt::format("{}/journal: an unfinished last line of {} bytes was cut off; its generation is repeated", options.folder, log.num_bytes_cut()));
  const HeaderEntry now = make_header(loaded);
  if (!log.header()) return log.add(now);
  check_same_origin(*log.header(), now, options.folder);
  progress.note(fmt::format("{}: resumed with {} of {} generations", options.folder, log.rows().size(), loaded.plan.generations.size()));
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
  log.add_end();
}

}  // namespace

RunOutcome run_experiment(const Plan& plan, const RunOptions& options, const std::function<std::unique_ptr<engines::Engines>()>& open_engines, Progress& progress) {
  std::optional<RunLock> lock;
  if (std::filesystem::exists(options.folder + "/journal")) {
    lock.emplace(options.folder);
    const RunLog begun(options.folder);
    if (begun.header()) check_same_config(plan, *begun.header(), options.folder);
    if (begun.finished()) return RunOutcome::was_complete;
  }
  const std::unique_ptr<engines::Engines> engines = open_engines();
  const LoadedPlan loaded = load_plan(plan, *engines);
  make_folder(options.folder);
  if (!lock) lock.emplace(options.folder);
  RunLog log(options.folder);
  begin_or_resume(loaded, options, log, progress);
  run_kind(loaded, options, log, progress);
  return RunOutcome::completed;
}

}  // namespace speclab::experiments
