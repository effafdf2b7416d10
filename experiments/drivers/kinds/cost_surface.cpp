#include <algorithm>

#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/measure/cost_measurement.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/warm_up.h"
#include "experiments/drivers/measure/workbench.h"

namespace speclab::experiments {

void run_cost_surface(Workbench& bench) {
  warm_up(bench);
  const bool replays = std::ranges::any_of(bench.plan().config.axes.model, is_shape_model);
  if (replays) run_pilots(bench);
  measure_costs(bench);
}

}  // namespace speclab::experiments
