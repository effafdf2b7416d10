#pragma once
#include <string>

#include "analysis/tables/run_folder.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// rounds.csv
const Schema<Round>& rounds_table();

/// The generation that a row of another file is about. @throws DataError if rows.csv has none of
/// that row_id
Generation& generation_of(const Table& table, std::size_t row, Run& run);

/// Where a row of rounds.csv belongs.
struct RoundPlace {
  std::int64_t round = 0;  ///< its number within the generation, from 0
  bool is_chain = true;
  bool is_step = false;  ///< of a search: its rows are those of all beams or candidates
};

/// Checks a round by itself. @throws DataError naming file, line and column
void check_round(const Table& table, std::size_t row, const Round& round, const RoundPlace& place);

/// Reads rounds.csv into a run whose rows are there, each round checked by itself and together
/// against its generation.
/// @throws DataError naming file, line and column, or the row whose rounds do not add up
void read_rounds(const std::string& path, Run& run);

}  // namespace speclab::analysis
