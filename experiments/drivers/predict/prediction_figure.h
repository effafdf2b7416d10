#pragma once
#include "analysis/plots/figure.h"
#include "experiments/drivers/predict/prediction.h"

namespace speclab::experiments {

/// Tokens a round, speed-up and operations over the speculation length.
analysis::Figure prediction_figure(const Prediction& prediction);

}  // namespace speclab::experiments
