#pragma once
#include <string>
#include <vector>

#include "analysis/stats/group_summary.h"

namespace speclab::analysis {

struct CellSummary {
  std::string cell_id;
  std::string category;  ///< `all` where the cell holds prompts of several categories
  CellAxes axes;
  GroupSummary summary;

  bool drafts_mostly() const { return summary.drafting_fraction >= 0.5; }
  /// |predicted - measured| / measured walltime, predicted at the machine's pace; missing without a prediction.
  std::optional<double> prediction_error() const;
};

/// One summary a cell, ordered by model, plain decoding first, then axes and category. @throws DataError if rows of one cell_id differ in their axes
std::vector<CellSummary> summarise_cells(const Run& run, const Baseline& baseline, Bootstrap& bootstrap);

/// Median error of the predicted walltime over the speculative cells that draft in at least half of their rounds.
std::optional<Estimate> median_prediction_error(const std::vector<CellSummary>& cells);

/// The text of cells.csv.
std::string cells_csv(const std::vector<CellSummary>& cells);

}  // namespace speclab::analysis
