#include "experiments/drivers/measure/cell_policy.h"

#include "experiments/drivers/journal/run_log.h"
#include "sim/policies/auto_policy.h"
#include "sim/policies/constant_policy.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {

PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category) {
  return {pilot_setting(plan, cell), category};
}

std::unique_ptr<SpeculationLengthPolicy> cell_policy(const Plan& plan, const RunLog& log,
                                                     const Cell& cell, const std::string& category,
                                                     int prompt_tokens) {
  if (cell.is_plain()) return std::make_unique<ConstantPolicy>(0);
  if (cell.setting.policy != "auto") return make_policy(cell.setting.policy);
  const int length = pilot_length(plan, cell.setting);
  sim::AutoPolicyOptions options{.costs = analysis::pair_costs(log.costs(), cell.setting).surface,
                                 .prior = pilot_prior(plan, log, pilot_key(plan, cell, category))};
  options.max_length = length;
  options.rows_of_depth = rows_of_depth(cell.setting, plan.max_length());
  options.initial_context = prompt_tokens;
  return std::make_unique<sim::AutoPolicy>(std::move(options));
}

}  // namespace speclab::experiments
