#pragma once
#include "analysis/io/run_folder.h"
#include "analysis/io/table.h"

namespace speclab::analysis {

/// The columns from `model` to `repetition_penalty` of a row.
CellAxes read_axes(const Table& table, std::size_t row);

}  // namespace speclab::analysis
