#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/run/cost_measurement.h"
#include "experiments/drivers/run/measurement.h"
#include "experiments/drivers/run/pilots.h"
#include "experiments/drivers/run/predictions.h"
#include "experiments/drivers/run/workbench.h"

namespace speclab::experiments {

void prepare_decoding(Workbench& bench) {
  warm_up(bench);
  run_pilots(bench);
  measure_costs(bench);
  make_predictions(bench);
}

void run_decoding(Workbench& bench) {
  prepare_decoding(bench);
  measure_generations(bench);
}

}  // namespace speclab::experiments
