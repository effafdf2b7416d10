#pragma once
#include <memory>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/run/run_log.h"
#include "sim/analytic/cost_surface.h"

namespace speclab::experiments {

Regime regime_of(double temperature);

/// Costs as one (model, drafter, temperature) has them.
struct PairCosts {
  std::shared_ptr<const sim::CostSurface> surface;
  sim::CostSurface drafter_prefill;  ///< kind prefill: what the first draft of a sequence costs on top; no points for plain decoding

  double drafter_prefill_ns(int prompt_tokens) const { return drafter_prefill.points().empty() ? 0.0 : drafter_prefill.prefill_ns(prompt_tokens); }
};

/// Draft and overhead are held constant outside the measured range, where a line through noise could turn negative.
/// @throws DataError if `costs` has none of these
PairCosts pair_costs(const std::vector<CostEntry>& costs, const std::string& model, const Drafting& drafting, Regime regime);

}  // namespace speclab::experiments
