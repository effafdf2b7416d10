#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/tables/axes.h"
#include "analysis/tables/estimate.h"
#include "analysis/tables/predictions.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A cell: its prediction beside its measurement.
struct CellRow {
  std::string cell_id, category;
  Setting axes;
  Prediction prediction;
  std::int64_t n_prompts = 0, n_rows = 0;
  Estimate walltime_ns;
  std::optional<Estimate> speedup, decoding_speedup, pair_speedup;
  std::optional<Estimate> tokens_per_round, acceptance_rate;
  std::optional<double> accepted_fraction;
  double drafting_fraction = 0;
  double draft_ns = 0, target_ns = 0, verify_ns = 0, other_ns = 0;  ///< means of a round
  bool lossless = true;
  std::optional<double> law_distance;
  bool forced_acceptance = false;
};

/// cells.csv
const Schema<CellRow>& cells_table();

}  // namespace speclab::analysis
