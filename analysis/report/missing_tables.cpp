#include "analysis/report/missing_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "analysis/tables/file_digests.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// A kind of experiment: the table that a committed run of it keeps, raw tables, their figures.
struct RawTables {
  const char* kind;
  const char* kept;
  std::vector<std::string> tables, figures;
};

const std::vector<RawTables>& raw_tables() {
  static const std::vector<RawTables> kinds{
      {"decoding",
       "cells.csv",
       {"rows.csv", "rounds.csv", "times.csv"},
       {"walltime_vs_temperature", "speedup", "tokens_per_round", "predicted_speedup",
        "walltime_vs_model_size", "speedup_vs_drafter_size", "tokens_per_round_vs_drafter_size",
        "speedup_by_category", "acceptance_by_position", "time_split", "policy_regret", "ledger",
        "timeline"}},
      {"drafter_acceptance",
       "acceptance_counts.csv",
       {"acceptance.csv"},
       {"acceptance_over_temperature", "acceptance_by_category", "acceptance_by_depth",
        "in_top_k"}}};
  return kinds;
}

bool has_table(const std::string& folder, const std::string& file) {
  return std::filesystem::exists(folder + "/" + file);
}

}  // namespace

MissingTables missing_tables(const std::string& run_folder, const std::string& kind) {
  const auto found = std::ranges::find(raw_tables(), kind, &RawTables::kind);
  if (found == raw_tables().end() || !has_table(run_folder, found->kept)) return {};
  const std::vector<std::string> digested = digested_files(run_folder);
  MissingTables missing;
  for (const std::string& table : found->tables) {
    if (has_table(run_folder, table)) continue;
    if (std::ranges::count(digested, table) > 0) return {};
    missing.tables.push_back(table);
  }
  if (missing.any()) missing.figures = found->figures;
  return missing;
}

std::string missing_note(const std::string& run_folder, const MissingTables& missing) {
  return fmt::format(
      "Missing tables: {}. Figures that are therefore not drawn: {}. To draw them, measure the run "
      "again: speclab run {}/manifest.toml --output results/runs/NAME.",
      fmt::join(missing.tables, ", "), fmt::join(missing.figures, ", "),
      escaped(run_folder, kLongestPath));
}

}  // namespace speclab::analysis
