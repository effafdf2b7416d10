#include "experiments/drivers/config/kinds.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {

const std::vector<ExperimentKind>& experiment_kinds() {
  static const std::vector<ExperimentKind> kinds{
      {.name = "decoding", .description = "walltime of every cell, predicted and measured"},
      {.name = "cost_surface",
       .description = "what forwards, drafts and rounds cost",
       .yield = Yield::costs,
       .table = "costs.csv"},
      {.name = "rule_atlas",
       .description = "what every verification rule makes of the same drafts",
       .yield = Yield::drafts,
       .table = "atlas.csv",
       .entry = "atlas",
       .takes_chains_only = true},
      {.name = "drafter_acceptance",
       .description = "what drafters would keep at every place of the target's text",
       .yield = Yield::drafts,
       .table = "acceptance.csv",
       .entry = "acceptance",
       .is_by_prompt = true}};
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
