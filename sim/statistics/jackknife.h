#pragma once
// Intervals of whatever can be computed from all clusters but one: the tokens of a prompt are not
// independent, prompts are.

#include <span>
#include <vector>

#include "sim/statistics/estimate.h"

namespace speclab::sim {

/// Where the deviations of an estimate are taken to be symmetric.
enum class Scale { identity, logarithm, logit };

/// The value with its 95 % interval: Student's t with n - 1 degrees of freedom, studentised by the
/// jackknife on `scale`. No interval for fewer than two clusters, or where the value or one without
/// a cluster lies on the border of the scale.
///
/// The jackknife's standard error is a little too large where clusters are few (each left out moves
/// the rest), which makes up for a linearised one being too small; the tests measure 93 to 97 % at
/// 12, 24 and 48 clusters.
///
/// @param value    of all clusters
/// @param without  [cluster]: the same of all clusters but that one
/// @throws ContractError if a number is not finite or outside the scale
/// @source Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.2
Estimate jackknife_estimate(double value, std::span<const double> without, Scale scale);

/// Variance of a statistic. @param without  its value without each part of its data in turn, at
/// least one
/// @source Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11
double jackknife_variance(std::span<const double> without);

/// Covariance matrix of estimates, row by row. @param without  [cluster][estimate], at least two
/// clusters
/// @throws ContractError if there are fewer, or lists differ in length
std::vector<double> jackknife_covariance(std::span<const std::vector<double>> without);

}  // namespace speclab::sim
