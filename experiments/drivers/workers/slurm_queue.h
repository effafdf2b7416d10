#pragma once
// Slurm's own commands, with plain users' rights.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::experiments {

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

}  // namespace speclab::experiments
