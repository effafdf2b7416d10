#pragma once
#include <span>

namespace speclab::analysis {

/// A straight line through points, by least squares.
struct LineFit {
  double slope = 0;
  double intercept = 0;
  double correlation = 0;  ///< Pearson's
  double rms_error = 0;    ///< root mean square of y less the line
};

/// @throws ContractError unless there are as many x as y, at least two, and neither is the same
/// everywhere
LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace speclab::analysis
