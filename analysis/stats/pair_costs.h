#pragma once
// Costs of one model and what drafts for it, out of all that were measured, and the times of
// generations whose rounds had each cost what the cost surface says.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/tables/costs.h"
#include "analysis/tables/run_folder.h"
#include "sim/analytic/cost_surface.h"

namespace speclab::analysis {

/// Costs as one (model, drafter, temperature) has them.
struct PairCosts {
  std::shared_ptr<const sim::CostSurface> surface;
  sim::CostSurface drafter_prefill;  ///< kind prefill: what the first draft of a sequence costs on
                                     ///< top; no points for plain decoding

  double drafter_prefill_ns(int prompt_tokens) const {
    return drafter_prefill.points().empty() ? 0.0 : drafter_prefill.prefill_ns(prompt_tokens);
  }
};

/// The costs of a setting: of a sequence, whose share of a batch is the batch's cost over the
/// number of sequences. Draft and overhead are held constant outside the measured range, where a
/// line through noise could turn negative.
/// @throws DataError if `costs` has none of these
PairCosts pair_costs(std::span<const CostRow> costs, const Setting& setting);

/// The costs as they were while generations were measured: a forward of the target costs the mean
/// of its timings between generations (walltimes, which are compared with it, are means); reading a
/// prompt, which is arithmetic, changes as the forward of most rows does; drafts and overheads
/// stay. Empty where no pace was taken.
/// @throws DataError if a forward was timed that the cost surface lacks
std::vector<CostRow> paced_costs(std::vector<CostRow> costs, std::span<const PaceRow> paces);

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
