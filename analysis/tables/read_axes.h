#pragma once
#include "analysis/tables/run_folder.h"
#include "analysis/tables/table.h"

namespace speclab::analysis {

/// The columns from `model` to `repetition_penalty` of a row.
CellAxes read_axes(const Table& table, std::size_t row);

}  // namespace speclab::analysis
