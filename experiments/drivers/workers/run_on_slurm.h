#pragma once
// A run as Slurm jobs: one that prepares, an array whose tasks measure a shard each, one that makes
// the files. Slurm is asked by its own commands, with plain users' rights.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/run/run_journals.h"

namespace speclab::experiments {

class Progress;

struct SlurmOptions {
  bool detach = false;      ///< do not wait for the jobs
  int tasks = 8;            ///< of the job array at most
  std::string partition{};  ///< sbatch's default where empty; so are the next two
  std::string time{};       ///< of a task, as sbatch reads it
  std::string arguments{};  ///< of sbatch, apart by spaces
};

/// @param arguments  of sbatch, the script at the end @return the job's id
/// @throws ConfigError with what sbatch says if it takes no job, or is not there
std::string submit_job(const std::vector<std::string>& arguments);

enum class QueueAnswer : std::uint8_t {
  queued,
  gone,
  none
};  ///< of the controller; none where it, or squeue, does not answer

/// Whether the job waits or runs.
QueueAnswer ask_queue(const std::string& job);

/// The same for a job that was submitted here: a controller that does not answer may come back.
/// @throws ConfigError if there is no squeue
bool is_in_queue(const std::string& job);

/// Takes a job back; one that has ended stays as it is.
void cancel_job(const std::string& job);

/// Counts the rows that other processes write into the journals of a run and its shards; what was
/// counted is not read again.
class RowWatch {
 public:
  /// @param folder  of the run
  explicit RowWatch(std::string folder) : folder_(std::move(folder)) {}
  /// Rows since the last call; of the first call all. A line that is not finished counts later. A
  /// journal that was begun again counts anew.
  std::size_t num_new();

 private:
  std::size_t num_new_in(const std::string& journal);

  std::string folder_;
  std::map<std::string, std::uintmax_t> ends_;  ///< of what was counted, by journal
};

struct SlurmRun {
  std::string folder;    ///< of the run, absolute
  JournalAccess access;  ///< to the journals of that folder
  SlurmOptions options;
  /// The command of a role of this program (prepare, task, merge), for a shell; the task's shard is
  /// added behind it.
  std::function<std::string(const std::string& role)> command;
  std::function<void()> check_interruption;
};

/// Submits what is missing, unless the jobs of an earlier call are still in the queue, and waits
/// until all have ended.
/// @return false if it did not wait
/// @throws ConfigError if sbatch takes no job, LockedError if the jobs in the queue are of another
/// config, WriteError, what RunJournals throws and what check_interruption throws (the jobs go on)
bool run_on_slurm(const Plan& plan, const SlurmRun& run, Progress& progress);

/// @throws LockedError if jobs of an earlier call are in the queue: they and another process would
/// measure the same. Where Slurm cannot be
///         asked there are none.
void refuse_beside_jobs(const std::string& folder);

/// Rows of the plan that a task is to measure, as submitted. @throws DataError
std::vector<std::size_t> task_rows(const Plan& plan, const std::string& folder, int shard);

}  // namespace speclab::experiments
