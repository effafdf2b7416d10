#pragma once
// Passes and rounds that are predicted for a device, as tables.

#include <string>
#include <vector>

#include "analysis/tables/device_predictions.h"
#include "experiments/drivers/predict/predict_options.h"

namespace speclab::experiments {

struct DevicePredictions {
  std::vector<analysis::PredictedPassRow> passes;
  std::vector<analysis::PredictedRoundRow> rounds;  ///< in the place of passes, if asked for
  std::vector<std::string> notes;                   ///< a sentence each
};

/// Passes of the shapes of --pass-of on the devices of --device; with --rounds the rounds of
/// --drafter or of all that have times.
/// @throws ConfigError about options, DataError about the tables that are read
DevicePredictions device_predictions(const PredictOptions& options);

/// Every timed pass beside what the rule gives that was fitted without its shape.
/// @throws ConfigError about options, DataError about the table of passes
std::vector<analysis::LeftOutPassRow> pass_errors(const PredictOptions& options);

std::string device_predictions_text(const DevicePredictions& predictions);
std::string device_predictions_json(const DevicePredictions& predictions);
std::string device_predictions_csv(const DevicePredictions& predictions);

/// The errors as the options ask: text, CSV or JSON.
std::string pass_errors_output(const std::vector<analysis::LeftOutPassRow>& passes,
                               const PredictOptions& options);

}  // namespace speclab::experiments
