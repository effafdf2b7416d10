#pragma once
#include <cstdint>
#include <vector>

#include "experiments/drivers/verify/texts.h"

namespace speclab::experiments {

/// What the same rows give alone and side by side: teacher-forced, so that every row counts and not only the first difference.
struct RowNoise {
  std::int64_t rows = 0;
  std::int64_t different = 0;       ///< rows of which any bit differs
  double largest = 0.0;             ///< largest |difference| of a logit
  double ceiling = 0.0;             ///< 1.5 times the 99.9th percentile of the rows' largest differences
  std::int64_t flips = 0;           ///< rows whose arg max differs
  std::int64_t unexplained = 0;     ///< of them, those whose gap is more than twice the row's own difference
};

/// @param rows_together  of the forwards that are compared with forwards of one row
RowNoise measure_row_noise(engines::LanguageModel& model, const std::vector<Text>& texts, std::size_t rows_together);

}  // namespace speclab::experiments
