#pragma once
// A committed run keeps the tables that are made from its rows, and not the rows themselves.

#include <string>
#include <vector>

namespace speclab::analysis {

struct MissingTables {
  std::vector<std::string> tables;   ///< raw tables of its kind that the folder lacks
  std::vector<std::string> figures;  ///< ids, or families of ids, that are made from them

  bool any() const { return !tables.empty(); }
};

/// Raw tables that a committed run does not have. None for a folder without the tables made from
/// them, or whose SHA256SUMS names a missing one: there a table was lost or never written, and its
/// reader says so.
/// @param kind  of the experiment, "decoding"
MissingTables missing_tables(const std::string& run_folder, const std::string& kind);

/// Sentences that name the missing tables, the figures that are not drawn, and a way to draw them.
std::string missing_note(const std::string& run_folder, const MissingTables& missing);

}  // namespace speclab::analysis
