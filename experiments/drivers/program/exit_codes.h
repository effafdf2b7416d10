#pragma once
#include <span>

#include "sim/system/errors.h"

namespace speclab::experiments {

/// An exit code in words, as results/TABLES.md explains them at length.
struct ExitCodeWords {
  ExitCode code;
  const char* name;     ///< the `status` of `run --json`
  const char* meaning;  ///< of the man page
};

/// Every code, in ascending order.
std::span<const ExitCodeWords> exit_codes();
/// The name of a code.
const char* to_string(ExitCode code);

}  // namespace speclab::experiments
