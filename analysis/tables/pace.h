#pragma once
#include <cstdint>
#include <string>

#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A bare forward of a target, timed just before a generation.
struct PaceRow {
  std::int64_t row_id = 0;
  std::string model;
  std::int64_t rows = 1;
  std::int64_t context = 0;
  double ns = 0;
};

/// pace.csv
const Schema<PaceRow>& pace_table();

}  // namespace speclab::analysis
