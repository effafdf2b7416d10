#pragma once
// A drafter's counts on held-out text, as the acceptance of the places of each group of texts.

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "sim/monte_carlo/place_process.h"

namespace speclab::experiments {

/// The counts that stand beside the newest version of a drafter, or in the program's own table of
/// those that read no model.
/// @param drafter  a kind ("feature_transformer"), a model ("smollm2-feature",
/// "smollm2-feature/v2") or the folder of one
/// @return the path; empty where there is none
std::string counts_of_drafter(const std::string& drafter);

/// Rows of one drafter; empty if there are none.
std::vector<analysis::DrafterCounts> rows_of(const std::vector<analysis::DrafterCounts>& counts,
                                             const std::string& drafter);

/// Levels of a drafter's drafts, where it has fewer than its tree would hold.
std::optional<int> most_levels(const std::vector<analysis::DrafterCounts>& counts);

/// The counts of one drafter at one temperature.
class PlaceCounts {
 public:
  /// @param counts  rows of that drafter and temperature, at least one
  /// @param most_levels  of its drafts, where it has no more than were looked at
  PlaceCounts(std::vector<analysis::DrafterCounts> counts, std::optional<int> most_levels);

  /// Names of the groups, in the file's order.
  const std::vector<std::string>& groups() const { return groups_; }
  /// The law of every group; where all groups are single texts, one law for all of them.
  std::vector<sim::PlaceAcceptance> laws() const;
  /// One law of all groups but this one.
  sim::PlaceAcceptance law_without(const std::string& group) const;

 private:
  sim::PlaceAcceptance places_of(const std::vector<std::string>& groups) const;

  std::vector<analysis::DrafterCounts> counts_;
  std::optional<int> most_levels_;
  std::vector<std::string> groups_;
  bool are_single_texts_ = true;
};

}  // namespace speclab::experiments
