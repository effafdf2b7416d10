#pragma once
#include <string>

namespace speclab::experiments {

struct SummaryOptions {
  std::string folder{};  ///< with the folders of committed runs; empty: the program's own
};

/// `speclab summary`: prints the figures of the first README from the tables of committed runs.
/// @return exit code @throws DataError if a table is missing or broken
int run_summary(const SummaryOptions& options);

}  // namespace speclab::experiments
