#pragma once
#include <string>
#include <vector>

#include "analysis/stats/groups.h"

namespace speclab::analysis {

struct CellSummary {
  std::string cell_id;
  std::string category;  ///< `all` where the cell holds prompts of several categories
  Setting axes;
  GroupSummary summary;

  bool drafts_mostly() const { return summary.drafting_fraction >= 0.5; }
  /// |predicted - measured| / measured walltime; missing without a prediction.
  std::optional<double> prediction_error() const;
  /// The same with the prediction from what forwards cost while generations were measured; missing
  /// if that was not timed.
  std::optional<double> paced_prediction_error() const;
  /// |predicted - measured| / measured speed-up; missing without a prediction.
  std::optional<double> speedup_error() const;
};

/// One summary a cell, ordered by model, plain decoding first, then axes and category. @throws
/// DataError if rows of one cell_id differ in their axes
std::vector<CellSummary> summarise_cells(const Run& run, const Baseline& baseline,
                                         Bootstrap& bootstrap);

/// Medians over the speculative cells that draft in at least half of their rounds.
struct PredictionErrors {
  std::optional<Estimate> as_predicted;  ///< of the walltime
  std::optional<Estimate> at_pace;       ///< see CellSummary::paced_prediction_error
  std::optional<Estimate> speedup{};
  std::optional<Estimate>
      half_width{};        ///< of the speed-up's prediction interval, relative to its middle
  std::size_t inside = 0;  ///< of half_width->n cells, whose measured speed-up lies in it
};
PredictionErrors median_prediction_errors(const std::vector<CellSummary>& cells);

/// The text of cells.csv.
std::string cells_csv(const std::vector<CellSummary>& cells);

}  // namespace speclab::analysis
