#pragma once
// What generations would have taken had each of their rounds cost what the cost surface says.

#include <optional>
#include <vector>

#include "analysis/stats/pair_costs.h"
#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

/// Nanoseconds.
struct SurfaceTimes {
  double prefill_ns = 0, target_ns = 0, draft_ns = 0, overhead_ns = 0;
  double ragged_ns = 0;  ///< of these, the share of tokens behind the stop

  double rounds_ns() const { return target_ns + draft_ns + overhead_ns; }
  double total_ns() const { return prefill_ns + rounds_ns(); }
  void add_round(const sim::CostSurface& costs, const Round& round);
};

/// Plain decoding has a round of one row for every token.
SurfaceTimes surface_times(const Run& run, const Generation& generation, const PairCosts& costs);

/// The costs of a cell's model, drafter and rule; nothing where they were not measured. A replayed
/// verdict is costed as the rule whose drafts were timed.
std::optional<PairCosts> costs_of_cell(const std::vector<CostRow>& costs, const Setting& axes);

}  // namespace speclab::analysis
