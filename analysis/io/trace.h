#pragma once
// The rounds of a run as a trace: rounds.csv, and rows.csv beside it where there is one.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/io/run_folder.h"

namespace speclab::analysis {

/// A generation of a trace; without rows.csv nothing is known but its number.
struct TracedGeneration {
  std::int64_t row_id = 0;
  std::string cluster;  ///< prompt, where known, else the generation itself
  std::optional<CellAxes> axes{};
  std::vector<Round> rounds;
};

/// What is kept of a trace. Missing entries keep everything, but for rounds of the verifier `replay`, whose verdicts were forced.
struct TraceFilter {
  std::optional<std::string> model{};
  std::optional<std::string> drafter{};
  std::optional<std::string> verifier{};
  std::optional<bool> is_greedy{};  ///< temperature 0, or above
  std::optional<double> temperature{};
};

/// @throws DataError naming file, line and column; if there is no round, none that the filter keeps, or a filter without rows.csv
std::vector<TracedGeneration> read_trace(const std::string& path, const TraceFilter& filter = {});

}  // namespace speclab::analysis
