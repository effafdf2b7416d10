#pragma once
#include <cstdint>
#include <string>

#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A generation that failed.
struct FailureRow {
  std::int64_t row_id = 0;
  std::string cell_id, prompt_id;
  std::int64_t repetition = 0;
  std::string category, status, message;
  std::int64_t attempts = 1;
};

/// failures.csv
const Schema<FailureRow>& failures_table();

}  // namespace speclab::analysis
