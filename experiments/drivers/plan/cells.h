#pragma once
// The settings that a plan measures: draftings, cells, pilots.

namespace speclab::experiments {

struct Plan;

/// Fills in draftings and cells, which config, drafters and prompts of the plan give.
void add_cells(Plan& plan);

/// Fills in the pilots of the plan's cells.
void add_pilots(Plan& plan);

}  // namespace speclab::experiments
