#pragma once
// Findings of the kind rule_atlas in a cell, as its journal holds them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/atlas.h"
#include "experiments/drivers/journal/entry_json.h"

namespace speclab::experiments {

/// One rule over the logged drafts of a cell.
struct AtlasRuleEntry {
  std::string rule;
  int drafts = 1;  ///< for one place
  bool lossless = true;
  double distance = 0.0;  ///< mean total variation of the emitted token
  std::int64_t trials = 0;
  analysis::CountedMean acceptance{};
  std::optional<analysis::CountedMean> tokens_per_round{};  ///< of rules that take chains
};

struct AtlasEntry {
  std::int64_t rows = 0;  ///< drafts logged
  std::vector<AtlasRuleEntry> rules;
};

Json to_json(const AtlasEntry& entry);
/// @throws DataError if something is missing or of another type
AtlasEntry atlas_entry(const Json& json);

}  // namespace speclab::experiments
