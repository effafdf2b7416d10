#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

struct RunCommandOptions {
  std::string config;
  std::vector<std::string> settings;  ///< "key=value", applied over the config
  std::string output;                 ///< empty: results/runs/NAME
  bool dry_run = false;
  bool report = true;
  bool repair = false;                ///< as RunOptions::repair
  bool allow_network_folder = false;
};

/// `speclab run`. @return exit code @throws what run_experiment throws
int run_run(const RunCommandOptions& options);

}  // namespace speclab::experiments
