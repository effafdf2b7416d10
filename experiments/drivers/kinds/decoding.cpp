#include <algorithm>

#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/measure/cost_measurement.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/warm_up.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/predict/predictions.h"

namespace speclab::experiments {

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

}  // namespace speclab::experiments
