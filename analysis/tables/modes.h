#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A way of decoding and a prompt.
struct ModeRow {
  std::string model, name;  ///< of the case
  std::string keys;         ///< as the case has them; may be empty
  std::string mode;         ///< as generate() names it
  std::string prompt;       ///< its id
  std::int64_t tokens = 0, steps = 0, rows = 0, drafted = 0, accepted = 0;
  double seconds = 0;            ///< behind the prompt
  double predicted_seconds = 0;  ///< from timed forwards and the steps of pilots
  std::string output_hash;       ///< of all texts, best first
  std::string text;              ///< the best one, on one line
  std::string machine, revision;
};

/// modes.csv
const Schema<ModeRow>& modes_table();
/// @throws DataError if the file is no such table, or has no rows
std::vector<ModeRow> read_modes(const std::string& path);

}  // namespace speclab::analysis
