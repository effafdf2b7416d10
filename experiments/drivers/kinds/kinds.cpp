#include "experiments/drivers/kinds/kinds.h"

#include <algorithm>

#include "sim/core/errors.h"

namespace speclab::experiments {

const std::vector<ExperimentKind>& experiment_kinds() {
  static const std::vector<ExperimentKind> kinds{
      {.name = "decoding",
       .description = "walltime of every cell, predicted and measured",
       .run = run_decoding,
       .prepare = prepare_decoding},
      {.name = "cost_surface",
       .description = "what forwards, drafts and rounds cost",
       .run = run_cost_surface,
       .yield = Yield::costs,
       .table = "costs.csv"},
      {.name = "rule_atlas",
       .description = "what every verification rule makes of the same drafts",
       .run = run_rule_atlas,
       .yield = Yield::atlas,
       .table = "atlas.csv"},
      {.name = "drafter_acceptance",
       .description = "what drafters would keep at every place of the target's text",
       .run = run_drafter_acceptance,
       .yield = Yield::acceptance,
       .table = "acceptance.csv"}};
  return kinds;
}

std::vector<std::string> experiment_kind_names() {
  std::vector<std::string> names;
  for (const ExperimentKind& kind : experiment_kinds()) names.push_back(kind.name);
  return names;
}

const ExperimentKind& experiment_kind(const std::string& name) {
  const auto found = std::ranges::find(experiment_kinds(), name, &ExperimentKind::name);
  SPECLAB_EXPECT(found != experiment_kinds().end(), "no experiment kind " + name);
  return *found;
}

}  // namespace speclab::experiments
