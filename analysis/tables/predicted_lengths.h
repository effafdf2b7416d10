#pragma once
#include <cstdint>
#include <optional>

#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

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

}  // namespace speclab::analysis
