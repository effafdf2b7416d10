#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/axes.h"
#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A mean in closed form beside the same counted.
struct CountedMean {
  double closed_form = 0, counted = 0;
  Interval range;  ///< of 95 % of the counts, by their exact law
  double p = 1;    ///< of the count under that law, two-sided
};

/// A verification rule over the drafts of a cell.
struct AtlasRow {
  std::string cell_id, category;
  Setting axes;
  std::string rule;
  std::int64_t drafts = 1;
  bool lossless = true;
  double distance = 0;
  std::int64_t logged_drafts = 0, trials = 0;
  CountedMean acceptance;
  std::optional<CountedMean> tokens_per_round;  ///< of rules that take chains
};

/// atlas.csv
const Schema<AtlasRow>& atlas_table();
/// Empty where nothing was drafted. @throws DataError naming file, line and column
std::vector<AtlasRow> read_atlas(const std::string& path);

/// The smallest p of all counts, and the level below which it speaks against a rule: 1e-6 over
/// their number.
struct AtlasTest {
  double smallest_p = 1;
  std::size_t counts = 0;
  double level() const { return 1e-6 / static_cast<double>(counts); }
  bool passes() const { return smallest_p >= level(); }
};
AtlasTest test_of(const std::vector<AtlasRow>& rows);

}  // namespace speclab::analysis
