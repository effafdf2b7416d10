#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/compare/build_gate.h"
#include "experiments/drivers/compare/run_gate.h"

namespace speclab::experiments {

struct CompareOptions {
  std::string base, head;        ///< revisions, build folders, or both run folders
  BuildGateOptions builds{};     ///< of revisions and build folders
  analysis::GateOptions runs{};  ///< of run folders
  std::string replay{};          ///< folder of a gate whose verdicts are drawn again; empty: none
  std::vector<std::string> power{};  ///< folders of pairs of a build with itself, whose gate's
                                     ///< power is asked for; empty: none
  std::vector<std::string> given_of_builds{},
      given_of_runs{};  ///< options on the command line that only one of them takes
  bool json = false;
};

/// `speclab compare`: prints the verdicts. @return exit code of the verdict @throws what
/// compare_builds, compare_runs and replay_gate throw
int run_compare(const CompareOptions& options);

}  // namespace speclab::experiments
