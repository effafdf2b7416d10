#pragma once
// The settings that a plan measures: draftings, cells, pilots.

#include "analysis/tables/column.h"

namespace speclab::experiments {

struct Plan;

/// The groups of columns that the tables of the plan have, because its cells differ on those axes.
analysis::ColumnGroups axis_columns(const Plan& plan);

/// Fills in draftings and cells, which config, drafters and prompts of the plan give.
void add_cells(Plan& plan);

/// Fills in the pilots of the plan's cells.
void add_pilots(Plan& plan);

}  // namespace speclab::experiments
