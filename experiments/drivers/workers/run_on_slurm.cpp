#include "experiments/drivers/workers/run_on_slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/journal.h"
#include "experiments/drivers/predict/predictions.h"
#include "experiments/drivers/program/program_call.h"
#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/workers/shard.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

/// The last line that is an id, "ID" or "ID;CLUSTER": what a site has its users told stands before
/// it. Empty if there is none.
std::string job_id_in(const std::string& text) {
  std::istringstream lines(text);
  std::string id;
  for (std::string line; std::getline(lines, line);) {
    const std::string first = line.substr(0, line.find(';'));
    if (!first.empty() && std::ranges::all_of(first, [](char c) { return c >= '0' && c <= '9'; }))
      id = first;
  }
  return id;
}

constexpr auto kPollInterval = std::chrono::seconds(1);
constexpr int kMaxRetries = 2;  ///< of a task that ended for a reason that another try may not meet

/// What is left to do, as the journals are now.
struct Missing {
  bool is_prepared = false;
  std::vector<std::size_t> rows;  ///< in the plan's order
};

Missing missing_of(const Plan& plan, const JournalAccess& access) {
  const RunJournals journals(plan, access);
  return {.is_prepared = !access.allow_mixed && is_prepared(plan, journals.log()),
          .rows = open_generations(plan, journals.log())};
}

/// An exit code says whether another try could help: not with a config, a corrupt journal, drift,
/// or generations that failed.
std::string task_script(const SlurmRun& run) {
  return fmt::format(
      "#!/bin/bash\n{} --shard \"$SLURM_ARRAY_TASK_ID\"\nstatus=$?\ncase $status in 0|2|3|5|6) "
      "exit $status ;; esac\n"
      "if [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {} ]; then scontrol requeue \"$SLURM_JOB_ID\" && "
      "sleep 60; fi\nexit $status\n",
      run.command("task"), kMaxRetries);
}

/// All that were submitted, the one that ends last at the end.
std::vector<std::string> submitted_jobs(const std::string& run_folder) {
  std::ifstream file(run_folder + "/slurm/jobs");
  return {std::istream_iterator<std::string>(file), {}};
}

/// The jobs of one run, as their ids stand in RUN/slurm/jobs.
class SlurmJobs {
 public:
  explicit SlurmJobs(const SlurmRun& run)
      : run_(run), folder_(run.folder + "/slurm"), ids_(submitted_jobs(run.folder)) {}

  bool are_in_queue() const { return !ids_.empty() && is_in_queue(ids_.back()); }

  /// Tasks of a config that was edited since would end without their work.
  void check_are_of(const Plan& plan) const {
    if (read_file(folder_ + "/plan") != plan_digest(plan))
      throw LockedError(
          fmt::format("{}: Slurm jobs {} of an earlier version of the config are in the queue; "
                      "wait for them, or cancel them with scancel",
                      run_.folder, names()));
  }

  void submit(const Plan& plan, const Missing& missing) {
    ids_.clear();
    write_file(folder_ + "/plan", plan_digest(plan));
    std::string dependency;
    if (!missing.is_prepared)
      dependency = "--dependency=afterok:" +
                   submit_script("prepare", "#!/bin/bash\n" + run_.command("prepare") + "\n", {});
    const std::string array = "--array=0-" + std::to_string(write_task_rows(plan, missing) - 1);
    std::vector<std::string> arguments{array};
    if (!dependency.empty())
      arguments.insert(arguments.end(), {dependency, "--kill-on-invalid-dep=yes"});
    if (!run_.options.time.empty()) arguments.push_back("--time=" + run_.options.time);
    const std::string measuring = submit_script("measure", task_script(run_), arguments);
    submit_script("merge", "#!/bin/bash\n" + run_.command("merge") + "\n",
                  {"--dependency=afterany:" + measuring});
  }

  void cancel() const {
    for (const std::string& id : ids_) cancel_job(id);
  }

  std::string names() const { return fmt::format("{}", fmt::join(ids_, ", ")); }

 private:
  /// By key: the config may be edited before a task begins. @return tasks
  std::size_t write_task_rows(const Plan& plan, const Missing& missing) const {
    const auto blocks = blocks_of(plan, missing.rows);
    const std::size_t tasks = std::min(blocks.size(), static_cast<std::size_t>(run_.options.tasks));
    const auto hands = dealt(blocks, tasks);
    const WorkKeys keys(plan);
    for (std::size_t task = 0; task < tasks; ++task) {
      const std::string shard = shard_folder(run_.folder, static_cast<int>(task));
      make_folder(shard);
      std::string rows;
      for (const std::size_t row : hands[task]) rows += keys.of_row(row) + "\n";
      write_file(shard + "/rows", rows);
    }
    return tasks;
  }

  std::string submit_script(const std::string& name, const std::string& script,
                            std::vector<std::string> arguments) {
    const std::string path = folder_ + "/" + name + ".sh";
    write_file(path, script);
    arguments.insert(arguments.begin(),
                     {"--job-name=speclab-" + name, "--output=" + folder_ + "/" + name + "-%j.log",
                      "--open-mode=append", "--requeue"});
    if (!run_.options.partition.empty())
      arguments.push_back("--partition=" + run_.options.partition);
    std::istringstream more(run_.options.arguments);
    for (std::string word; more >> word;) arguments.push_back(word);
    arguments.push_back(path);
    ids_.push_back(submit_job(arguments));
    write_file(folder_ + "/jobs", fmt::format("{}\n", fmt::join(ids_, "\n")));
    return ids_.back();
  }

  const SlurmRun& run_;
  std::string folder_;
  std::vector<std::string> ids_;
};

void wait_for(const SlurmJobs& jobs, const Plan& plan, const SlurmRun& run, Progress& progress) {
  progress.begin_phase("measuring", static_cast<double>(plan.generations.size()));
  for (RowWatch rows(run.folder); jobs.are_in_queue();) {
    progress.advance(static_cast<double>(rows.num_new()));
    run.check_interruption();
    std::this_thread::sleep_for(kPollInterval);
  }
  progress.end_phase();
}

/// Jobs of which a later one was refused are taken back.
void submit_all_or_none(SlurmJobs& jobs, const Plan& plan, const Missing& missing) {
  try {
    jobs.submit(plan, missing);
  } catch (const Error&) {
    jobs.cancel();
    throw;
  }
}

/// One process at a time asks whether jobs are queued and submits them. Also where a folder on a
/// network file system is refused at once.
std::unique_ptr<RunLock> lock_submission(const SlurmRun& run) {
  make_folder(run.folder + "/slurm");
  return lock_soon(run.folder + "/slurm", run.access.network_folder);
}

}  // namespace

std::string submit_job(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const CommandAnswer answer = ask_command(words);
  if (answer.code == 127)
    throw ConfigError(
        "--slurm: there is no sbatch here; run where jobs are submitted, or with --workers");
  const std::string id = job_id_in(answer.text);
  if (answer.code != 0 || id.empty())
    throw ConfigError("--slurm: sbatch takes no job: " + escaped(answer.text, 500) +
                      "; see --slurm-partition, --slurm-time, --slurm-args");
  return id;
}

QueueAnswer ask_queue(const std::string& job) {
  const CommandAnswer answer =
      ask_command({"squeue", "--noheader", "--jobs", job, "--format", "%T"});
  if (answer.code == 0) return answer.text.empty() ? QueueAnswer::gone : QueueAnswer::queued;
  return answer.text.find("Invalid job id") == std::string::npos ? QueueAnswer::none
                                                                 : QueueAnswer::gone;
}

bool is_in_queue(const std::string& job) {
  if (ask_command({"squeue", "--version"}).code == 127)
    throw ConfigError("--slurm: there is no squeue here; run where jobs are submitted");
  return ask_queue(job) != QueueAnswer::gone;
}

void cancel_job(const std::string& job) { ask_command({"scancel", job}); }

std::size_t RowWatch::num_new() {
  std::size_t rows = num_new_in(folder_ + "/journal");
  std::error_code none;
  for (const auto& shard : std::filesystem::directory_iterator(folder_ + "/shards", none))
    rows += num_new_in((shard.path() / "journal").string());
  return rows;
}

std::size_t RowWatch::num_new_in(const std::string& journal) {
  std::error_code none;
  std::uintmax_t& end = ends_[journal];
  const std::uintmax_t size = std::filesystem::file_size(journal, none);
  if (none) return 0;
  if (size < end) end = 0;
  std::ifstream file(journal, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(end));
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line) && !file.eof(); end += line.size() + 1)
    rows += line.substr(std::min(line.size(), Journal::kDigestLength), 5) == " row " ? 1 : 0;
  return rows;
}

bool run_on_slurm(const Plan& plan, const SlurmRun& run, Progress& progress) {
  auto lock = lock_submission(run);
  SlurmJobs jobs(run);
  if (!jobs.are_in_queue()) {
    const Missing missing = missing_of(plan, run.access);
    if (missing.rows.empty()) return true;
    submit_all_or_none(jobs, plan, missing);
    progress.note(fmt::format("{} generations in Slurm jobs {}; their logs are in {}/slurm",
                              missing.rows.size(), jobs.names(), run.folder));
  } else {
    jobs.check_are_of(plan);
    progress.note(fmt::format("Slurm jobs {} are in the queue", jobs.names()));
  }
  lock.reset();
  if (!run.options.detach) wait_for(jobs, plan, run, progress);
  return !run.options.detach;
}

void refuse_beside_jobs(const std::string& folder) {
  const std::vector<std::string> jobs = submitted_jobs(folder);
  if (jobs.empty() || ask_queue(jobs.back()) != QueueAnswer::queued) return;
  throw LockedError(
      fmt::format("{}: Slurm jobs {} of this run are in the queue; wait for them with --slurm, or "
                  "cancel them with scancel",
                  folder, fmt::join(jobs, ", ")));
}

std::vector<std::size_t> task_rows(const Plan& plan, const std::string& folder, int shard) {
  const std::string path = shard_folder(folder, shard) + "/rows";
  std::istringstream words(read_file(path));
  const WorkKeys keys(plan);
  std::vector<std::size_t> rows;
  for (std::string key; words >> key;) {
    const auto row = keys.row_of(key);
    if (!row)
      throw DataError(
          fmt::format("{}: {} is no work of this config, which was edited since it was submitted; "
                      "repeat `speclab run --slurm` to submit the missing work",
                      path, escaped(key, 80)));
    rows.push_back(*row);
  }
  return rows;
}

}  // namespace speclab::experiments
