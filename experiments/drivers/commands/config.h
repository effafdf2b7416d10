#pragma once
#include <string>

namespace speclab::experiments {

struct ConfigCommandOptions {
  std::string key;  ///< only keys that begin so; empty: all
  bool describe = false;
  bool json = false;
  bool markdown = false;
};

/// `speclab config --describe`. @return exit code @throws ConfigError if no key begins so
int run_config_command(const ConfigCommandOptions& options);

/// What stands between the marks of experiments/configs/README.md.
std::string config_reference_page();

}  // namespace speclab::experiments
