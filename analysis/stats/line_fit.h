#pragma once
// Lines through points, by least squares: straight ones and ones with a break.

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

/// Two straight lines that meet, by least squares: intercept + slope_before x up to `breakpoint`,
/// slope_after from there on.
struct BrokenLineFit {
  double intercept = 0;
  double slope_before = 0, slope_after = 0;
  double breakpoint = 0;  ///< x
  double rms_error = 0;   ///< root mean square of y less the lines
};

/// The break is one of the values of x but for the two least and the two largest, whichever leaves
/// the least error, so that each line has two points of its own.
/// @throws ContractError unless there are as many x as y and five different x
BrokenLineFit fit_broken_line(std::span<const double> x, std::span<const double> y);

}  // namespace speclab::analysis
