#pragma once
#include "experiments/drivers/predict/predict_options.h"

namespace speclab::experiments {

/// `speclab predict`: a table over speculation lengths from acceptance and costs; no model is
/// loaded.
/// @return 0 @throws ConfigError about options, DataError about files, WriteError if the plot
/// cannot be written
int run_predict(const PredictOptions& options);

}  // namespace speclab::experiments
