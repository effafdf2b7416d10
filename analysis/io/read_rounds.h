#pragma once
#include <string>

#include "analysis/io/run_folder.h"
#include "analysis/io/table.h"

namespace speclab::analysis {

/// The generation that a row of another file is about. @throws DataError if rows.csv has none of that row_id
Generation& generation_of(const Table& table, std::size_t row, Run& run);

/// Reads rounds.csv into a run whose rows are there, each round checked by itself and together against its generation.
/// @throws DataError naming file, line and column, or the row whose rounds do not add up
void read_rounds(const std::string& path, Run& run);

}  // namespace speclab::analysis
