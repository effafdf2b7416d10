#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/run_folder.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A round of a generation whose text is shown, or a step of plain decoding.
struct TimelineRound {
  std::int64_t row_id = 0;
  std::int64_t round = 0;  ///< its number, from 0
  std::int64_t drafted = 0, accepted = 0, emitted = 1;
  std::int64_t draft_ns = 0, target_ns = 0, verify_ns = 0, other_ns = 0;
};

/// timeline.csv
const Schema<TimelineRound>& timeline_table();
/// The rounds of generations of `run`, in the order of rows and rounds; none if the file is
/// missing.
/// @throws DataError naming file, line and column; also where rounds do not add up to their
/// generation
std::vector<TimelineRound> read_timeline(const std::string& path, const Run& run);

}  // namespace speclab::analysis
