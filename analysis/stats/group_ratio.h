#pragma once
// Groups of generations of the same axes, and ratios of sums over them.

#include <functional>
#include <optional>
#include <vector>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

using Generations = std::vector<const Generation*>;

/// A number of one generation, for instance its tokens.
using Quantity = std::function<double(const Generation&)>;

/// 0 over no generations.
double sum_over(const Generations& generations, const Quantity& quantity);

/// The sum of one quantity over that of another, resampled by prompt. It has no interval if it
/// is 0. @return nothing if the denominator is not above 0
std::optional<Estimate> ratio_over(const Generations& generations, const Quantity& numerator,
                                   const Quantity& denominator, Bootstrap& bootstrap);

}  // namespace speclab::analysis
