#pragma once
// A prediction as text, table, JSON and figure.

#include <string>

#include "analysis/plots/figure.h"
#include "experiments/drivers/predict/prediction.h"

namespace speclab::experiments {

/// For people: what it rests on, the table, the optimum.
std::string prediction_text(const Prediction& prediction);

/// The table alone; results/TABLES.md describes the columns.
std::string prediction_csv(const Prediction& prediction);
/// Everything, as one JSON object on one line.
std::string prediction_json(const Prediction& prediction);

/// Tokens a round, speed-up and operations over the speculation length.
analysis::Figure prediction_figure(const Prediction& prediction);

}  // namespace speclab::experiments
