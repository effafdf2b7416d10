#include "experiments/drivers/kinds/kind_steps.h"

#include <algorithm>
#include <iterator>

#include "sim/system/errors.h"

namespace speclab::experiments {

const KindSteps& kind_steps(const std::string& kind) {
  static constexpr KindSteps kSteps[] = {
      {.kind = "decoding", .run = run_decoding, .prepare = prepare_decoding},
      {.kind = "cost_surface", .run = run_cost_surface},
      {.kind = "rule_atlas", .run = run_rule_atlas, .tables = rule_atlas_tables, .row = "rules"},
      {.kind = "drafter_acceptance",
       .run = run_drafter_acceptance,
       .tables = drafter_acceptance_tables,
       .row = "depths of prompts"}};
  const auto found = std::ranges::find(kSteps, kind, &KindSteps::kind);
  SPECLAB_EXPECT(found != std::end(kSteps), "no steps of the experiment kind " + kind);
  return *found;
}

}  // namespace speclab::experiments
