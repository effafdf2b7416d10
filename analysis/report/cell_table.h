#pragma once
#include <string>
#include <vector>

#include "analysis/stats/cells.h"

namespace speclab::analysis {

/// The sortable table of all cells; settings that are the same everywhere are left out.
std::string cell_table_html(const std::vector<CellSummary>& cells);

}  // namespace speclab::analysis
