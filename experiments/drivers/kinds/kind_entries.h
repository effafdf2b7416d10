#pragma once
// Findings of kinds without generations in a cell, or in one prompt of it, as journals hold them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/atlas.h"
#include "experiments/drivers/journal/entry_json.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// Reads an entry of a cell. @throws DataError with its place if it is not of the kind's form
template <typename Found>
Found found_in(const CellEntry& entry, Found (*read)(const Json&)) {
  try {
    return read(entry.found);
  } catch (const DataError& error) {
    throw DataError(entry.where + ": " + error.what());
  }
}

using PlaceSums = std::pair<sim::TreePlace, analysis::SiblingSums>;

/// The drafts for one prompt's text in a cell.
struct AcceptanceEntry {
  std::int64_t positions = 0;  ///< places drafted for
  std::vector<analysis::DepthSums> depths;
  std::vector<PlaceSums> siblings{};  ///< of trees
};

Json to_json(const AcceptanceEntry& entry);
/// @throws DataError if something is missing or of another type
AcceptanceEntry acceptance_entry(const Json& json);

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
