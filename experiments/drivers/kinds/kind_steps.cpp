#include "experiments/drivers/kinds/kind_steps.h"

#include <algorithm>
#include <iterator>

#include "experiments/drivers/measure/cost_measurement.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/predictions.h"
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

/// What shape models cost is measured in rounds that replay all pilots.
void prepare_decoding(Workbench& bench) {
  warm_up(bench);
  if (std::ranges::any_of(bench.plan().config.axes.model, is_shape_model)) run_pilots(bench);
  measure_costs_beside_pilots(bench);
  make_predictions(bench);
}

void run_decoding(Workbench& bench) {
  prepare_decoding(bench);
  measure_generations(bench);
}

void run_cost_surface(Workbench& bench) {
  warm_up(bench);
  const bool replays = std::ranges::any_of(bench.plan().config.axes.model, is_shape_model);
  if (replays) run_pilots(bench);
  measure_costs(bench);
}

}  // namespace speclab::experiments
