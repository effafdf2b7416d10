#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

struct TrainCommandOptions {
  std::string config;
  std::vector<std::string> settings{};  ///< "key=value", over the config
  std::string output;                   ///< in place of drafter.output
  bool overwrites = false;              ///< a finished drafter there
  bool into_used_folder = false;        ///< the folder may hold files of something else
};

/// `speclab train`: progress on standard error.
int run_train(const TrainCommandOptions& options);

}  // namespace speclab::experiments
