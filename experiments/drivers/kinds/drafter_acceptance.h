#pragma once
// Findings of the kind drafter_acceptance in a prompt of a cell, as its journal holds them.

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "experiments/drivers/journal/entry_json.h"

namespace speclab::experiments {

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

}  // namespace speclab::experiments
