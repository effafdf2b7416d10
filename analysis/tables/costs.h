#pragma once
// Forwards and rounds: what they cost, and what a bare forward took between two generations.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"
#include "sim/analytic/cost_surface.h"
#include "sim/core/setting.h"

namespace speclab::analysis {

/// The part of a setting that costs depend on, beside the regime: the model as it is loaded, batch,
/// generation, drafter, tree and verifier. The last three are empty for plain decoding; all else
/// has its default.
Setting setting_of_costs(const Setting& setting);
/// The model alone, as it is loaded.
Setting setting_of_forwards(const Setting& setting);

/// A median over one pass over all points.
struct PassTime {
  int pass = 0;
  double ns = 0;

  bool operator==(const PassTime&) const = default;
};

/// A point of the cost surface.
struct CostRow {
  /// The result of setting_of_costs, or of setting_of_forwards for the target's own costs.
  Setting setting{};
  std::optional<Regime> regime{};  ///< nothing where it does not matter
  sim::CostKind kind = sim::CostKind::target;
  std::int64_t rows = 1;
  std::int64_t context = 0;
  Estimate ns{};
  std::vector<PassTime> ns_of_pass{};  ///< passes in their order; a run's journal alone has them

  std::string regime_text() const { return regime ? to_string(*regime) : ""; }
};

/// costs.csv
const Schema<CostRow>& costs_table();
/// The whole file, with the columns that some point needs.
std::string costs_csv(const std::vector<CostRow>& costs);
/// @throws DataError naming file, line and column; also if there is no row
std::vector<CostRow> read_costs(const std::string& path);

/// A bare forward of a target, timed just before a generation.
struct PaceRow {
  std::int64_t row_id = 0;
  std::string model;
  std::int64_t rows = 1;
  std::int64_t context = 0;
  double ns = 0;
};

/// pace.csv
const Schema<PaceRow>& pace_table();

}  // namespace speclab::analysis
