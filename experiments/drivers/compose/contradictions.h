#pragma once
// Options of `speclab predict` that one way of asking takes and another does not.

#include <string>
#include <vector>

#include "experiments/drivers/predict/predict_options.h"

namespace speclab::experiments {

/// Names of the given options that neither --machine nor --pass-of takes.
std::vector<std::string> options_of_other_predictions(const PredictOptions& options);
/// Names of the given options that --pass-of alone takes, itself left out.
std::vector<std::string> options_of_passes(const PredictOptions& options);

}  // namespace speclab::experiments
