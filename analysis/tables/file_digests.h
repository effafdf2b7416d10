#pragma once
// SHA256SUMS of a run folder: what its files said when the run wrote them, in the form of
// sha256sum, and whether the run measured anything.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sim/system/errors.h"

namespace speclab::analysis {

inline constexpr const char* kDigestsFile = "SHA256SUMS";

/// Every file that a run may write, in their order in SHA256SUMS; tables without rows are left out.
inline constexpr std::array kRunFiles = {
    "manifest.toml",  "costs.csv",    "predictions.csv", "atlas.csv",
    "acceptance.csv", "siblings.csv", "failures.csv",    "pace.csv",
    "device.csv",     "bridges.csv",  "rows.csv",        "rounds.csv",
    "times.csv",      "timeline.csv", "texts.jsonl",     "drafts.jsonl"};

/// A line for each (name, content): "DIGEST  NAME".
std::string digest_lines(const std::vector<std::pair<std::string, std::string>>& files);

/// Names of the files of `folder` that are there and say something else than SHA256SUMS, or are a
/// run's and have no line in it; none where it is missing.
/// @throws DataError if a line of it is none
std::vector<std::string> changed_files(const std::string& folder);

/// Names of the files that SHA256SUMS of `folder` speaks of; none where it is missing. @throws
/// DataError as changed_files
std::vector<std::string> digested_files(const std::string& folder);

/// @throws DataError naming what changed_files finds
void check_unchanged(const std::string& folder);

/// A run that was interrupted before it measured anything, or of which everything failed.
class EmptyRunError : public DataError {
 public:
  using DataError::DataError;
};

/// @param table  rows.csv or acceptance.csv: what a run writes as soon as it has measured something
/// @throws EmptyRunError where the folder has none and its SHA256SUMS names none; a table that was
/// lost is left to its reader
void expect_measured(const std::string& folder, const std::string& table);

}  // namespace speclab::analysis
