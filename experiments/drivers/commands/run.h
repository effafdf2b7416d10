#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/drivers/workers/run_on_slurm.h"

namespace speclab::experiments {

/// Generations of a sweep that needs no --yes.
inline constexpr std::size_t kMostWithoutYes = 10'000;

struct RunCommandOptions {
  std::string config;
  std::vector<std::string> settings{};  ///< "key=value", applied over the config
  std::string output{};                 ///< empty: results/runs/NAME
  std::string machine{};                ///< keeps the costs by that name; empty: nowhere
  bool dry_run = false;
  std::string times_from{};  ///< folder of an earlier run, for the time that --dry-run tells
  bool yes = false;          ///< a sweep of more than kMostWithoutYes generations is meant
  bool report = true;
  bool json = false;          ///< one object on standard output in place of lines
  bool repair = false;        ///< as RunOptions::repair
  bool retry_failed = false;  ///< as RunOptions::retry_failed
  bool allow_mixed = false;   ///< as RunOptions::allow_mixed
  bool allow_network_folder = false;
  bool into_used_folder = false;    ///< the run folder may hold files of something else
  int workers = 0;                  ///< processes that measure; 0: this one
  double generation_timeout_s = 0;  ///< 0 is none
  bool slurm = false;
  SlurmOptions on_slurm{};
  std::string role{};  ///< of a process that another one started: prepare, work, task, merge; empty
                       ///< for the user's
  int shard = 0;       ///< of the roles work and task
};

/// `speclab run`. @return exit code @throws what run_experiment throws
int run_run(const RunCommandOptions& options);

}  // namespace speclab::experiments
