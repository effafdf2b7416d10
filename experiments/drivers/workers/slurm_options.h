#pragma once
#include <string>

namespace speclab::experiments {

struct SlurmOptions {
  bool detach = false;      ///< do not wait for the jobs
  int tasks = 8;            ///< of the job array at most
  std::string partition{};  ///< sbatch's default where empty; so are the next two
  std::string time{};       ///< of a task, as sbatch reads it
  std::string arguments{};  ///< of sbatch, apart by spaces
};

}  // namespace speclab::experiments
