#pragma once
// Slurm's own commands, with plain users' rights.

#include <string>
#include <vector>

namespace speclab::experiments {

/// @param arguments  of sbatch, the script at the end @return the job's id
/// @throws ConfigError with what sbatch says if it takes no job, or is not there
std::string submit_job(const std::vector<std::string>& arguments);

/// Whether there is a squeue here.
bool can_ask_queue();

/// Whether the job waits or runs; also if the controller does not answer, which may come back.
bool is_in_queue(const std::string& job);

/// Takes a job back; one that has ended stays as it is.
void cancel_job(const std::string& job);

}  // namespace speclab::experiments
