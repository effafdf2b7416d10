#pragma once
#include <string>

namespace speclab::experiments {

struct TrainCommandOptions {
  std::string config;
  std::string output;  ///< in place of drafter.output
};

/// `speclab train`: progress on standard error.
int run_train(const TrainCommandOptions& options);

}  // namespace speclab::experiments
