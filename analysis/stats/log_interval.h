#pragma once
// Intervals of positive quantities.

#include <optional>

#include "analysis/tables/estimate.h"

namespace speclab::analysis {

/// 95 %, by Student's t on the scale of the logarithm; nothing where it would reach beyond a factor
/// of 20.
/// @param value           > 0
/// @param standard_error  of its logarithm
/// @param degrees         of freedom of the standard error, > 0 unless it is 0
std::optional<Interval> log_interval(double value, double standard_error, double degrees);

}  // namespace speclab::analysis
