#pragma once
#include <string>

#include "experiments/drivers/config/run_config.h"
#include "sim/system/errors.h"

namespace speclab::testing {

/// The message with which a run's config is refused; "accepted" if it is not.
inline std::string refusal(const std::string& path) {
  try {
    experiments::read_run_config(path, {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace speclab::testing
