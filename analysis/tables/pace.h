#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace speclab::analysis {

/// One row of pace.csv: a bare forward of a target, timed just before a generation.
struct PaceRow {
  std::int64_t row_id = 0;
  std::string model;
  std::int64_t rows = 1;
  std::int64_t context = 0;
  double ns = 0;
};

/// No rows if the file is missing. @throws DataError naming file, line and column
std::vector<PaceRow> read_pace(const std::string& path);

}  // namespace speclab::analysis
