#pragma once
// The rounds of a run as a trace: rounds.csv, and rows.csv beside it where there is one.

#include <cstdint>
#include <functional>
#include <string>

#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

/// A round of a trace, valid while it is visited; without rows.csv nothing is known of its
/// generation but the number.
struct TracedRound {
  const std::string& cluster;     ///< prompt, where known, else the generation itself
  const Setting* axes = nullptr;  ///< null without rows.csv
  Round round{};
};

/// Whether rows.csv, which says of what generations the rounds are, stands beside a trace.
bool has_rows_beside(const std::string& path);

/// Visits every round that the filter keeps, in the order of the file. A filter without a verifier
/// leaves out rounds of the verifier `replay`, whose verdicts were forced. Of a long trace no more
/// is kept than a number a generation and what rows.csv says of it.
/// @return rounds of forced verdicts that were left out for nothing else
/// @throws DataError naming file, line and column; if there is no round, none that the filter
/// keeps, or a filter without rows.csv
std::int64_t read_trace(const std::string& path, const SettingFilter& filter,
                        const std::function<void(const TracedRound&)>& visit);

}  // namespace speclab::analysis
