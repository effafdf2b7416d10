#pragma once
#include <string>

#include "experiments/drivers/predict/prediction.h"

namespace speclab::experiments {

/// For people: what it rests on, the table, the optimum.
std::string prediction_text(const Prediction& prediction);

}  // namespace speclab::experiments
