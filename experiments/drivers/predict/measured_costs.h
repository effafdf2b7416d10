#pragma once
#include "experiments/drivers/predict/cost_input.h"

namespace speclab::experiments {

/// What rounds of one model and drafter cost by a costs.csv, in steps of its plain decoding, at one
/// context. Of several models, drafters or regimes the file's first that fits the options is taken,
/// and a note says so.
/// @throws DataError naming what the file lacks: a kind of cost, a point of the target's grid;
/// ConfigError about options
CostInput measured_costs(const PredictOptions& options);

}  // namespace speclab::experiments
