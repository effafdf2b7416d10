#include <algorithm>

#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/run/cost_measurement.h"
#include "experiments/drivers/run/measurement.h"
#include "experiments/drivers/run/pilots.h"
#include "experiments/drivers/run/workbench.h"

namespace speclab::experiments {

void run_cost_surface(Workbench& bench) {
  warm_up(bench);
  const bool replays = std::ranges::any_of(bench.plan().config.models, is_shape_model);
  if (replays) run_pilots(bench);
  measure_costs(bench);
}

}  // namespace speclab::experiments
