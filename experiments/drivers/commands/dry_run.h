#pragma once
#include <string>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/progress.h"

namespace speclab::experiments {

struct DryRunOptions {
  std::string folder;        ///< of the run
  std::string times_from{};  ///< folder of an earlier run that tells the time
  bool needs_yes = false;    ///< the run would ask for --yes
  bool json = false;         ///< one object in place of lines
};

/// `speclab run --dry-run`: checks the models of a plan, and prints its cells and a time.
/// @return exit code @throws ConfigError, ModelFileError for models that a run would refuse
int show_dry_run(const Plan& plan, const DryRunOptions& options, Progress& progress);

}  // namespace speclab::experiments
