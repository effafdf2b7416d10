#include "experiments/drivers/commands/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analysis/report/report.h"
#include "experiments/drivers/commands/commands.h"
#include "experiments/drivers/commands/run_output.h"
#include "experiments/drivers/compose/machine_costs.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/plan/plan_parts.h"
#include "experiments/drivers/program/command_folders.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/interruption.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/program/program_call.h"
#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/run/adopted_names.h"
#include "experiments/drivers/run/row_tables.h"
#include "experiments/drivers/run/run_files.h"
#include "experiments/drivers/run/run_journals.h"
#include "experiments/drivers/workers/run_in_workers.h"
#include "experiments/drivers/workers/run_on_slurm.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// As many as the engines would take.
int all_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS"); text && std::atoi(text) > 0)
    return std::atoi(text);
  return num_processors();
}

/// The threads of one of several workers, which share them evenly; 0, as the config says, for a
/// single process.
int share_of_threads(int threads, int workers) {
  return workers > 1 ? std::max(1, (threads > 0 ? threads : all_threads()) / workers) : 0;
}

std::string folder_of(const RunCommandOptions& options, const RunConfig& config) {
  return options.output.empty() ? "results/runs/" + config.name : options.output;
}

/// The config with the names that its run has begun with.
RunConfig read_config_of_run(const RunCommandOptions& options) {
  RunConfig config = read_run_config(options.config, options.settings);
  if (have_engines())
    adopt_names_of_run(
        config, {.folder = folder_of(options, config), .allow_mixed = options.allow_mixed},
        [] { return open_engines(); },
        [&](const std::string& text) {
          if (options.role.empty()) fmt::print(stderr, "speclab: {}\n", text);
        });
  return config;
}

/// `speclab run` in one of its roles. Notes in `end` how it went.
class RunCommand {
 public:
  RunCommand(const RunCommandOptions& options, RunEnd& end)
      : options_(options),
        end_(end),
        plan_(make_plan(read_config_of_run(options))),
        folder_(folder_of(options, plan_.config)),
        progress_(Progress::style_of_standard_error()) {
    end_.folder = folder_;
    end_.cells = plan_.cells.size();
    check_numbers();
    check_machine();
    const bool shares = options.workers > 0 || options.slurm;
    if (options.allow_mixed && yield() != Yield::generations)
      throw ConfigError(
          fmt::format("--allow-mixed: experiment.kind = {}; allowed: decoding, because only its "
                      "rows note their origin",
                      plan_.config.kind));
    if (shares && kind_steps(plan_.config.kind).prepare == nullptr)
      throw ConfigError(
          fmt::format("{}: experiment.kind = {}; allowed: decoding, because only its generations "
                      "can be shared among processes",
                      options.slurm ? "--slurm" : "--workers", plan_.config.kind));
  }

  int run() {
    if (options_.role.empty() && !options_.into_used_folder)
      refuse_used_folder(folder_, names_in_run_folder());
    if (options_.dry_run) return show_plan();
    if (needs_yes() && !options_.yes)
      throw ConfigError(fmt::format(
          "{}: {} generations; allowed without --yes: at most {}; --dry-run lists the cells",
          options_.config, plan_.generations.size(), kMostWithoutYes));
    if (!options_.role.empty()) return play_role();
    warn_of_threads(plan_.config.target.threads);
    for (const std::string& note :
         {tree_axis_note(plan_), plan_.prompt_note, selection_note(plan_)})
      if (!note.empty()) progress_.note(note);
    if (!options_.slurm) refuse_beside_jobs(folder_);
    end_.is_submitted = options_.slurm && !on_slurm();
    if (end_.is_submitted) return 0;
    end_.was_complete = !options_.slurm && measure() == RunOutcome::was_complete;
    keep_costs();
    return end_.was_complete ? say_complete() : say_completed();
  }

 private:
  void check_numbers() const {
    const auto check = [](const char* option, double value, double low, double high) {
      if (!(value >= low && value <= high))
        throw ConfigError(fmt::format("{} {}; allowed: {} to {}", option, value, low, high));
    };
    check("--workers", options_.workers, 0, 1024);
    check("--timeout-s", options_.generation_timeout_s, 0, 1e6);
    check("--slurm-tasks", options_.on_slurm.tasks, 1, 10000);
  }

  void check_machine() const {
    if (options_.machine.empty()) return;
    if (yield() == Yield::drafts)
      throw ConfigError(
          fmt::format("--machine: experiment.kind = {}; allowed: cost_surface and decoding, whose "
                      "runs measure costs",
                      plan_.config.kind));
    check_machine_name(options_.machine);
    if (!options_.dry_run) make_machine_folder(options_.machine);
  }

  bool needs_yes() const {
    return yield() == Yield::generations && plan_.generations.size() > kMostWithoutYes;
  }

  int show_plan() {
    return show_dry_run(plan_,
                        {.folder = folder_,
                         .times_from = options_.times_from,
                         .needs_yes = needs_yes(),
                         .json = options_.json},
                        progress_);
  }

  Yield yield() const { return experiment_kind(plan_.config.kind).yield; }

  JournalAccess access() const {
    return {.folder = folder_,
            .repair = options_.repair,
            .allow_mixed = options_.allow_mixed,
            .network_folder =
                options_.allow_network_folder ? NetworkFolder::allowed : NetworkFolder::refused};
  }

  RunOptions run_options() const {
    const std::string how_to_resume =
        yield() != Yield::costs
            ? fmt::format("what was measured is in {}; the same command goes on from there",
                          folder_)
            : fmt::format(
                  "a cost surface is kept whole or not at all; the same command measures that of "
                  "{} anew",
                  folder_);
    return {.folder = folder_,
            .repair = options_.repair,
            .retry_failed = options_.retry_failed,
            .allow_mixed = options_.allow_mixed,
            .network_folder = access().network_folder,
            .limits = {.check_interruption =
                           [this, how_to_resume] { interruption_.check(how_to_resume); },
                       .generation_timeout_s = options_.generation_timeout_s},
            .workers = std::max(1, options_.workers),
            .threads = share_of_threads(plan_.config.target.threads, options_.workers)};
  }

  /// The words of the same command in another role.
  std::vector<std::string> words(const std::string& role, const std::string& folder) const {
    std::vector<std::string> words{"speclab", "run",
                                   std::filesystem::absolute(options_.config).string()};
    for (const std::string& setting : options_.settings)
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(),
                 {"--output", folder, "--timeout-s",
                  fmt::format("{}", options_.generation_timeout_s), "--role", role, "--yes"});
    if (options_.allow_network_folder) words.emplace_back("--allow-network-folder");
    if (options_.repair && role == "prepare") words.emplace_back("--repair");
    if (options_.retry_failed && role == "task") words.emplace_back("--retry-failed");
    if (options_.allow_mixed && role == "prepare") words.emplace_back("--allow-mixed");
    if (options_.workers > 0)
      words.insert(words.end(), {"--workers", std::to_string(options_.workers)});
    return words;
  }

  WorkerRoles roles() const {
    return {.prepare = [this] { return become_program(words("prepare", folder_)); },
            .work =
                [this](int shard) {
                  std::vector<std::string> own = words("work", folder_);
                  own.insert(own.end(), {"--shard", std::to_string(shard)});
                  return become_program(own);
                }};
  }

  RunOutcome measure() {
    return options_.workers > 0
               ? run_in_workers(plan_, run_options(), roles(), open_engines, progress_)
               : run_experiment(plan_, run_options(), open_engines, progress_);
  }

  int play_role() {
    if (options_.role == "prepare")
      prepare_run(plan_, run_options(), open_engines, progress_);
    else if (options_.role == "work")
      serve_shard(plan_, run_options(), options_.shard, open_engines);
    else if (options_.role == "task")
      run_one_shard(plan_, run_options(), options_.shard, task_rows(plan_, folder_, options_.shard),
                    roles(), progress_);
    else
      merge_run(plan_, run_options(), open_engines);
    return 0;
  }

  /// @return whether the jobs have ended
  bool on_slurm() {
    const std::string folder = std::filesystem::absolute(folder_).string();
    const auto command = [this, folder](const std::string& role) {
      std::vector<std::string> own = words(role, folder);
      own.front() = program_path();
      return "cd " + shell_line({std::filesystem::current_path().string()}) + " && " +
             shell_line(own);
    };
    const auto check = [this] {
      interruption_.check("the jobs go on; the same command waits for them, scancel ends them");
    };
    JournalAccess submitting = access();
    submitting.retry_failed = options_.retry_failed;
    if (!run_on_slurm(plan_,
                      {.folder = folder,
                       .access = submitting,
                       .options = options_.on_slurm,
                       .command = command,
                       .check_interruption = check},
                      progress_))
      return false;
    if (!std::filesystem::exists(folder_ + "/journal"))
      throw Error(ExitCode::internal,
                  fmt::format("the preparing job left no files; see its log in {}/slurm", folder_));
    if (!RunJournals(plan_, access()).is_complete()) merge_run(plan_, run_options(), open_engines);
    return true;
  }

  /// Keeps the run's costs under the machine's name, if --machine gives one.
  void keep_costs() const {
    if (options_.machine.empty()) return;
    say(fmt::format("the costs of {} are in {}", options_.machine,
                    keep_machine_costs(folder_, options_.machine)));
  }

  int say_complete() {
    const std::string report = folder_ + "/report.html";
    const bool has_report = std::filesystem::exists(report) && !analysis::is_partial_report(report);
    say(fmt::format("{} is complete; for another run give another --output", folder_));
    if (options_.report && (options_.json || !has_report))
      say_report(make_run_report({.folders = {folder_}}));
    else if (has_report)
      say(report);
    return say_outcome(RunJournals(plan_, access()).log());
  }

  int say_completed() {
    const RunJournals journals(plan_, access());
    if (yield() == Yield::generations)
      say_summary(journals.log());
    else
      say(fmt::format("{}/{}", folder_, experiment_kind(plan_.config.kind).table));
    const bool has_rows = yield() != Yield::generations || !journals.log().rows().empty();
    if (options_.report)
      say_report(has_rows ? make_run_report({.folders = {folder_}}) : analysis::ReportSummary{});
    return say_outcome(journals.log());
  }

  /// A line of standard output, which --json keeps for its object.
  void say(const std::string& line) const {
    if (!options_.json && !line.empty()) fmt::print("{}\n", line);
  }

  void say_report(const analysis::ReportSummary& summary) {
    say(summary.answer);
    say(closing_line(summary));
    end_.report = summary.report_path;
    end_.answer = summary.worth.empty() ? summary.answer : summary.worth;
    end_.details = summary.answer;
  }

  void say_summary(const RunLog& log) const {
    say(fmt::format("{}: {} generations in {} cells", folder_, log.rows().size(),
                    plan_.cells.size()));
    if (const int differences = num_greedy_differences(plan_, log); differences > 0)
      say(fmt::format(
          "{} greedy generations differ from plain decoding's text, see output_hash in rows.csv "
          "(near-ties on CUDA: --set target.device=cpu has none; on the CPU a defect)",
          differences));
  }

  /// What has no row, and whether a device disturbed those that are there. @throws
  /// Error(some_cells_failed), Error(invalid_measurement)
  int say_outcome(const RunLog& log) {
    const analysis::DeviceState device = device_state_of(log);
    if (device.n > 0) say(fmt::format("device: {}", analysis::device_summary(device)));
    say_failures(log);
    if (device.fault.empty()) return 0;
    throw Error(
        ExitCode::invalid_measurement,
        fmt::format(
            "{}; see {}/device.csv; measure into another folder when the device is free and cool",
            analysis::device_note(device), folder_));
  }

  /// What has no row, and why. @throws Error(some_cells_failed) if there is any
  void say_failures(const RunLog& log) {
    if (yield() != Yield::generations) return;
    const std::size_t planned = plan_.generations.size(), failed = log.failures().size(),
                      open = open_generations(plan_, log).size();
    end_.generations = {.planned = planned, .measured = log.rows().size(), .failed = failed};
    const std::size_t lost = planned - log.rows().size() - failed;
    if (lost > 0)
      throw Error(ExitCode::some_cells_failed,
                  fmt::format("{} of {} generations were not measured; see the logs in {}/slurm. "
                              "Repeat the command to submit them",
                              lost, planned, folder_));
    if (failed == 0) return;
    throw Error(
        ExitCode::some_cells_failed,
        fmt::format("{} of {} generations failed, see {}/failures.csv; {}", failed, planned,
                    folder_,
                    open > 0 ? fmt::format("repeat the command to try {} of them once more", open)
                             : "--retry-failed tries them once more"));
  }

  const RunCommandOptions& options_;
  RunEnd& end_;
  const Interruption interruption_;
  Plan plan_;
  std::string folder_;
  Progress progress_;
};

}  // namespace

int run_run(const RunCommandOptions& options) {
  RunEnd end;
  if (!options.json) return RunCommand(options, end).run();
  try {
    const int status = RunCommand(options, end).run();
    if (!options.dry_run) fmt::print("{}\n", run_json(end));
    return status;
  } catch (const std::exception& error) {
    end.fail(error);
    fmt::print("{}\n", run_json(end));
    throw;
  }
}

}  // namespace speclab::experiments
