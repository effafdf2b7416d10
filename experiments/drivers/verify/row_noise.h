#pragma once
#include <cstdint>
#include <vector>

#include "experiments/drivers/measure/texts.h"

namespace speclab::experiments {

/// What the same rows give alone and side by side: teacher-forced, so that every row counts and not
/// only the first difference.
struct RowNoise {
  std::vector<double> largest_of_row;  ///< |difference| of a logit
  std::int64_t different = 0;          ///< rows of which any bit differs
  double allowed = 0.0;    ///< what the order of additions may do at most, whatever was found: 0
                           ///< where kernels are row-invariant
  std::int64_t flips = 0;  ///< rows whose arg max differs

  std::int64_t rows() const { return static_cast<std::int64_t>(largest_of_row.size()); }
  double largest() const;
};

/// Allowed are 0 on the CPU, whose kernels are row-invariant; elsewhere, of the largest |logit|, 32
/// rounding errors in float32 (on OpenBLAS 13 were seen) and 4 in bfloat16 (1.7 were seen,
/// emulated).
/// @param rows_together  of the forwards that are compared with forwards of one row
RowNoise measure_row_noise(
    engines::LanguageModel& model, const std::vector<Text>& texts, std::size_t rows_together,
    const TokensDone& done = [](std::size_t) {});

}  // namespace speclab::experiments
