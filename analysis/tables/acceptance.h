#pragma once
// Acceptance of drafters by depth: in a run's prompts, and in the held-out texts of a drafter.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/axes.h"
#include "analysis/tables/manifest.h"
#include "analysis/tables/schema.h"
#include "analysis/tables/siblings.h"

namespace speclab::analysis {

/// Ranks of a drafter's law that are told apart.
inline constexpr std::size_t kRanks = 10;

/// Sums over the drafts of a text that have a token at one depth, each with the chance that it is
/// reached.
struct DepthSums {
  std::int64_t drafts = 0;
  double reached = 0;   ///< sum of those chances
  double accepted = 0;  ///< of those that go on
  std::array<double, kRanks>
      in_top{};  ///< [k - 1]: of the target's mass on the drafter's k most likely tokens
  std::size_t known_ranks = kRanks;  ///< entries of in_top that mean something
};

/// A prompt of a cell, and a depth of its drafts.
struct AcceptanceRow {
  std::string cell_id, category, prompt_id;
  Setting axes;
  std::int64_t positions =
      0;  ///< places drafted for, also those where the drafter had nothing to say
  int depth = 1;
  DepthSums sums;
};

/// acceptance.csv
const Schema<AcceptanceRow>& acceptance_table();
/// @throws DataError naming file, line and column; where a prompt's depths have a gap, or rows of a
/// cell or prompt contradict each other
std::vector<AcceptanceRow> read_acceptance(const std::string& path);

/// A drafter's drafts at one depth in one group of texts, as they stand beside the drafter.
struct DrafterCounts {
  Setting setting;       ///< drafter, tree and temperature alone
  std::string category;  ///< of the group: a kind of text, or one text
  int depth = 1;
  std::int64_t n_prompts = 0;  ///< texts of the group that have a draft as deep
  std::int64_t positions = 0;  ///< places of those
  DepthSums sums;
};

/// acceptance.csv of a version of a drafter
const Schema<DrafterCounts>& drafter_counts_table();
/// @throws DataError naming file, line and column; also if there is no row
std::vector<DrafterCounts> read_drafter_counts(const std::string& path);

/// Whether drafts were looked at where rounds begin, and not at every place of a text.
bool are_rounds_observed(const Manifest& manifest);

/// What a run of the kind `drafter_acceptance` leaves.
struct AcceptanceRun {
  Manifest manifest;
  std::vector<AcceptanceRow> rows;
  std::vector<SiblingRow> siblings{};  ///< of trees; runs of older revisions have none

  /// Whether its drafts are those of speculative decoding's rounds.
  bool is_of_rounds() const { return are_rounds_observed(manifest); }
  /// Manifest::missing of its texts, which are prompts of cells.
  std::string missing() const;
};

/// @throws DataError as read_manifest and read_acceptance, EmptyRunError if there are no rows
AcceptanceRun read_acceptance_run(const std::string& folder);

}  // namespace speclab::analysis
