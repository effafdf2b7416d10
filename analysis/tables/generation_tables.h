#pragma once
// The tables that are made from the generations of a run: rows.csv, times.csv and failures.csv.

#include <cstdint>
#include <string>

#include "analysis/tables/run_folder.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

const Schema<Generation>& rows_table();
/// Its columns of the group kReadGroup are missing in runs of earlier revisions; those of
/// kSectionGroup are there if the manifest has sections.
const Schema<Generation>& times_table();
inline constexpr std::string_view kReadGroup = "reads", kSectionGroup = "sections";

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
