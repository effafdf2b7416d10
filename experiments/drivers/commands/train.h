#pragma once
#include <optional>
#include <string>
#include <vector>

namespace speclab::experiments {

struct TrainCommandOptions {
  std::optional<std::string> config{};
  std::vector<std::string> settings{};  ///< "key=value", over the config
  std::string output{};                 ///< in place of drafter.output
  bool overwrites = false;              ///< a finished drafter there
  bool into_used_folder = false;        ///< the folder may hold files of something else
  std::string target{};                 ///< catalogue name, GGUF or folder, in place of a config
  std::string kind{};                   ///< one of kKindsByMinutes, with a target
  std::optional<double> minutes{};      ///< that the training for a target may take
};

/// `speclab train`: progress on standard error.
/// @throws ConfigError if neither a config nor a target is given
int run_train(const TrainCommandOptions& options);

}  // namespace speclab::experiments
