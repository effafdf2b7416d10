#pragma once
// Passes that were timed on a device, and passes and rounds that are predicted for one.

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A pass of the engine's own form, timed on a device.
struct TimedPassRow {
  std::string device, shape;
  std::int64_t rows = 1, context = 0;
  double ms = 0;
};

/// The passes of the newest revision of a passes.csv that scripts/measure_gpu left.
/// @throws DataError naming file, line and column; also if there is none
std::vector<TimedPassRow> read_timed_passes(const std::string& path);

struct PredictedPassRow {
  std::string device, kernels, shape;
  std::int64_t rows = 1, context = 0;
  Estimate us;
  double bytes_us = 0;  ///< what reading alone takes
};

/// The table of `speclab predict --pass-of --csv`.
const Schema<PredictedPassRow>& predicted_passes_table();

/// A timed pass beside the rule that was fitted without its shape.
struct LeftOutPassRow {
  std::string shape;
  std::int64_t rows = 1, context = 0;
  double measured_us = 0, predicted_us = 0, relative_error = 0;
};

/// The table of `speclab predict --pass-errors --csv`.
const Schema<LeftOutPassRow>& left_out_passes_table();

/// Rounds of one sequence on a device, with drafts of one length.
struct PredictedRoundRow {
  std::string device, kernels, shape, drafter;
  double temperature = 0;
  std::int64_t drafts = 1;
  Estimate round_us;
  double plain_us = 0;  ///< of a round that drafts nothing
  double tokens_per_round = 1, drafting_fraction = 1;
  Estimate predicted_speedup;
};

/// The table of `speclab predict --pass-of --rounds --csv`.
const Schema<PredictedRoundRow>& predicted_rounds_table();

}  // namespace speclab::analysis
