#pragma once
#include <string>

#include "experiments/drivers/predict/prediction.h"

namespace speclab::experiments {

/// The table alone; results/TABLES.md describes the columns.
std::string prediction_csv(const Prediction& prediction);
/// Everything, as one JSON object on one line.
std::string prediction_json(const Prediction& prediction);

}  // namespace speclab::experiments
