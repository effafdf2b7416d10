#pragma once
// Numbers of ours beside those of papers.

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/tables/estimate.h"
#include "analysis/tables/schema.h"

namespace speclab::analysis {

/// A number of ours beside a reference; texts that do not apply are empty.
struct ComparisonRow {
  std::string experiment, setting, quantity;
  double ours = 0;
  std::optional<Interval> interval;
  std::optional<std::int64_t> prompts;
  std::optional<double> reference;
  std::string origin;
  std::optional<double> difference, tolerance;
  std::string verdict, source, locator, note;
};

/// The verdicts on one table or figure, counted.
struct ComparisonSummaryRow {
  std::string experiment;
  std::int64_t rows = 0, agrees_printed = 0, agrees_recomputed = 0, input_rounding = 0,
               known_slips = 0, context = 0, disagrees = 0, slips_of_text = 0;
  std::string revision;
};

/// comparison.csv and summary.csv
const Schema<ComparisonRow>& comparisons_table();
const Schema<ComparisonSummaryRow>& comparison_summary_table();

}  // namespace speclab::analysis
