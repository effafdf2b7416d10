#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/axes.h"
#include "analysis/tables/schema.h"
#include "sim/analytic/sibling_acceptance.h"

namespace speclab::analysis {

/// Sums over the nodes of a text's drafts that stand at one place.
struct SiblingSums {
  std::int64_t drafts = 0;  ///< such nodes
  double reached = 0;       ///< sum of the chances that the parent is accepted
  double accepted = 0;      ///< of those that the node is

  bool operator==(const SiblingSums&) const = default;
};

/// A prompt of a cell, and a place in the trees of its drafts.
struct SiblingRow {
  std::string cell_id, category, prompt_id;
  Setting axes;
  sim::TreePlace place;
  SiblingSums sums;
};

/// siblings.csv
const Schema<SiblingRow>& siblings_table();
/// @throws DataError naming file, line and column
std::vector<SiblingRow> read_siblings(const std::string& path);

}  // namespace speclab::analysis
