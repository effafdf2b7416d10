#pragma once
// The tables that are made from the rows of a run: rows.csv and times.csv.

#include "analysis/tables/run_folder.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

const Schema<Generation>& rows_table();
/// Its columns of the group kReadGroup are missing in runs of earlier revisions; those of
/// kSectionGroup are there if the manifest has sections.
const Schema<Generation>& times_table();
inline constexpr std::string_view kReadGroup = "reads", kSectionGroup = "sections";

}  // namespace speclab::analysis
