#pragma once
// Predictions of cells and of speculation lengths.

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/tables/axes.h"
#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// Expected before the cell was measured, but for the pace; missing where nothing is predicted.
struct Prediction {
  std::optional<double> walltime_ns;
  std::optional<double> speedup;
  std::optional<double> tokens_per_round;
  std::optional<double> acceptance_rate;
  std::optional<double>
      paced_walltime_ns{};  ///< walltime, had forwards cost what they did while measuring
  std::optional<Interval> speedup_interval{};  ///< 95 %, of what is measured
};

/// A cell, before it was measured.
struct PredictionRow {
  std::string cell_id, category;
  Setting axes;
  Prediction prediction;
};

/// predictions.csv. Its columns of the group kIntervalGroup are missing in runs of earlier
/// revisions.
const Schema<PredictionRow>& predictions_table();
inline constexpr std::string_view kIntervalGroup = "intervals";

/// A speculation length and what is predicted at it.
struct PredictedLengthRow {
  std::int64_t speculation_length = 0;
  Estimate tokens_per_round, predicted_speedup;
  std::optional<double> accepted_fraction;
  double operations_factor = 1, target_reads_per_token = 1;
  std::optional<double> bytes_per_token;
  std::optional<Estimate> trace_tokens_per_round, trace_predicted_speedup;
  bool is_optimum = false, is_trace_optimum = false, is_chosen = false;
};

/// The table of `speclab predict --csv`.
const Schema<PredictedLengthRow>& predicted_lengths_table();

/// A drafter at one temperature, whose costs and acceptance were measured apart.
struct ComposedSpeedupRow {
  std::string drafter;
  double temperature = 0;
  Estimate composed_speedup;     ///< of the whole walltime, prompt included
  double tokens_per_round = 1;   ///< over all rounds, also those that draft nothing
  double drafting_fraction = 0;  ///< share of rounds that draft
};

/// The table of `speclab predict --machine --csv`.
const Schema<ComposedSpeedupRow>& composed_speedups_table();

}  // namespace speclab::analysis
