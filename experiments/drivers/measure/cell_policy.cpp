#include "experiments/drivers/measure/cell_policy.h"

#include "sim/policies/auto_policy.h"
#include "sim/policies/constant_policy.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {

analysis::PairKey pair_key(const std::string& model, const Drafting& drafting, Regime regime) {
  return {.model = model,
          .drafter = drafting.is_plain() ? "" : drafting.drafter,
          .tree = drafting.tree,
          .verifier = drafting.verifier,
          .regime = regime};
}

PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category) {
  return {plan.real_model_of(cell.model), cell.drafting, cell.temperature, category,
          pilot_policy(cell)};
}

analysis::PairCosts costs_of(const std::vector<CostEntry>& costs, const Cell& cell) {
  return pair_costs(costs,
                    pair_key(cell.model, cell.drafting, analysis::regime_of(cell.temperature)));
}

std::unique_ptr<SpeculationLengthPolicy> cell_policy(const Plan& plan, const RunLog& log,
                                                     const Cell& cell, const std::string& category,
                                                     int prompt_tokens) {
  if (cell.is_plain()) return std::make_unique<ConstantPolicy>(0);
  if (cell.policy != "auto") return make_policy(cell.policy);
  const int length = pilot_length(plan, cell.drafting);
  sim::AutoPolicyOptions options{.costs = costs_of(log.costs(), cell).surface,
                                 .prior = pilot_prior(plan, log, pilot_key(plan, cell, category))};
  options.max_length = length;
  options.rows_of_depth = cell.drafting.rows_of_depth(plan.max_length());
  options.initial_context = prompt_tokens;
  return std::make_unique<sim::AutoPolicy>(std::move(options));
}

}  // namespace speclab::experiments
