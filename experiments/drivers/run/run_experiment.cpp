#include "experiments/drivers/run/run_experiment.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/journal/crash_note.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/predict/predictions.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/run/run_files.h"
#include "experiments/drivers/run/run_journals.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

JournalAccess access_of(const RunOptions& options, Progress& progress) {
  return {.folder = options.folder,
          .repair = options.repair,
          .retry_failed = options.retry_failed,
          .allow_mixed = options.allow_mixed,
          .network_folder = options.network_folder,
          .note = [&progress](const std::string& text) { progress.note(text); }};
}

/// A section is gone on with by what it was begun by; any other work of the plan is done in a new
/// one.
RunLog& begin_or_resume(const LoadedPlan& loaded, const RunOptions& options, RunJournals& journals,
                        Progress& progress) {
  HeaderEntry now = current_origin(loaded, options.workers);
  RunLog& log = journals.open_for_writing();
  const HeaderEntry* begun = journals.last_header();
  const bool is_same = begun && origin_changes(*begun, now).empty();
  if (begun) {
    if (!options.allow_mixed) check_same_origin(*begun, now, options.folder);
    log.secure();
    progress.note(fmt::format("{}: resumed with {} of {} generations", options.folder,
                              log.rows().size(), loaded.plan.generations.size()));
  }
  if (is_same && log.header()) return log;
  now.machine = measure_machine(loaded);
  log.add(now);
  return log;
}

/// Shards may be measuring already: a job that Slurm has started a second time.
bool is_prepared(const Plan& plan, const std::string& folder) {
  return std::filesystem::exists(folder + "/journal") &&
         is_prepared(plan, RunLog(plan, folder, Journal::Tail::left));
}

/// Keeps out a process that hands out the run's work to workers, and is kept out by it; nothing
/// where none ever did.
std::unique_ptr<RunLock> lock_of_shards(const RunOptions& options) {
  const std::string folder = options.folder + "/shards";
  std::error_code none;
  return std::filesystem::exists(folder, none)
             ? std::make_unique<RunLock>(folder, options.network_folder)
             : nullptr;
}

void note_missing_template(const LoadedPlan& loaded, Progress& progress) {
  const auto lacks = [&](const auto& text) {
    return lacks_template(loaded.tokenizer_of(text.first), loaded.plan.config.chat_template);
  };
  if (std::ranges::any_of(loaded.texts, lacks)) progress.note(kNoTemplateNote);
}

}  // namespace

RunOutcome run_experiment(const Plan& plan, const RunOptions& options,
                          const OpenEngines& open_engines, Progress& progress) {
  const auto shards = lock_of_shards(options);
  JournalAccess access = access_of(options, progress);
  access.lock = JournalAccess::Lock::refuses_at_once;
  RunJournals journals(plan, std::move(access));
  if (journals.is_complete()) return RunOutcome::was_complete;
  const std::unique_ptr<engines::Engines> engines = open_engines();
  if (journals.is_measured()) {
    write_run_files(tokenized_plan(plan, *engines), journals.log(), options.folder);
    return RunOutcome::completed;
  }
  const LoadedPlan loaded = load_plan(plan, *engines, options.threads);
  note_missing_template(loaded, progress);
  RunLog& log = begin_or_resume(loaded, options, journals, progress);
  take_crash_note(plan, options.folder, log, progress);
  Workbench bench(loaded, log, progress, options.limits);
  try {
    const CrashNote crash_note(plan, options.folder);
    kind_steps(plan.config.kind).run(bench);
  } catch (const Error& error) {
    progress.stop_phase();
    if (error.code() != ExitCode::cannot_write)
      salvage(progress, [&] { write_run_files(loaded, log, options.folder); });
    throw;
  }
  write_run_files(loaded, log, options.folder);
  journals.end_if_whole();
  return RunOutcome::completed;
}

void salvage(Progress& progress, const std::function<void()>& write_tables) {
  try {
    write_tables();
  } catch (const Error& error) {
    progress.note(fmt::format("the tables of what was measured are not written: {}", error.what()));
  }
}

void prepare_run(const Plan& plan, const RunOptions& options, const OpenEngines& open_engines,
                 Progress& progress) {
  SPECLAB_EXPECT(kind_steps(plan.config.kind).prepare != nullptr,
                 "a kind without generations has no shards");
  if (!options.allow_mixed && is_prepared(plan, options.folder)) return;
  RunJournals journals(plan, access_of(options, progress));
  const std::unique_ptr<engines::Engines> engines = open_engines();
  const LoadedPlan loaded = load_plan(plan, *engines, options.threads);
  note_missing_template(loaded, progress);
  Workbench bench(loaded, begin_or_resume(loaded, options, journals, progress), progress,
                  options.limits);
  kind_steps(plan.config.kind).prepare(bench);
}

void merge_run(const Plan& plan, const RunOptions& options, const OpenEngines& open_engines) {
  RunJournals journals(plan, {.folder = options.folder,
                              .repair = options.repair,
                              .network_folder = options.network_folder});
  if (!journals.has_header())
    throw DataError(fmt::format("{}: no run of this config was begun here; `speclab run` begins it",
                                options.folder));
  const std::unique_ptr<engines::Engines> engines = open_engines();
  write_run_files(tokenized_plan(plan, *engines), journals.log(), options.folder);
  journals.end_if_whole();
}

}  // namespace speclab::experiments
