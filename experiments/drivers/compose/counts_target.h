#pragma once
// The target that kept or refused the counted drafts, and whether costs are of the same one.

#include <optional>
#include <string>

#include "analysis/tables/manifest.h"

namespace speclab::experiments {

struct CountedTarget {
  std::string name, sha256;
};

/// The target that the manifest beside the counts names; none where no manifest does.
/// @param counts  path of the counts
/// @throws DataError if a manifest cannot be read
std::optional<CountedTarget> target_of_counts(const std::string& counts);

/// One sentence where the costs are of another target than the counts, or where that is not
/// recorded; empty where both are of one.
/// @param manifest  beside the costs; none where that was left out
/// @param model  of the costs
std::string note_on_targets(const std::optional<CountedTarget>& counted,
                            const std::optional<analysis::Manifest>& manifest,
                            const std::string& model);

}  // namespace speclab::experiments
