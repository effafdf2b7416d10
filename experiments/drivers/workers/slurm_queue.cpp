#include "experiments/drivers/workers/slurm_queue.h"

#include <algorithm>
#include <sstream>

#include "experiments/drivers/program/program_call.h"
#include "sim/system/errors.h"

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

}  // namespace speclab::experiments
