#pragma once
// Estimates of one quantity with their intervals: medians, percentiles, clustered means, and
// intervals on the scale of the logarithm.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/estimate.h"

namespace speclab::analysis {

/// 95 %, by Student's t on the scale of the logarithm; nothing where it would reach beyond a factor
/// of 20.
/// @param value           > 0
/// @param standard_error  of its logarithm
/// @param degrees         of freedom of the standard error, > 0 unless it is 0
std::optional<Interval> log_interval(double value, double standard_error, double degrees);

/// Median with the exact interval of order statistics, which assumes independence and nothing else:
/// at least 95 % coverage, from 6 values on. @throws ContractError if there is no value
/// @source David and Nagaraja 2003, Order Statistics, section 7.1
Estimate median(std::vector<double> values);

/// Linearised standard error of the sum of numerators over the sum of denominators; nothing for a
/// single cluster.
/// @throws ContractError if lengths differ or the denominators' total is not positive
/// @source Cochran 1977, Sampling Techniques, section 6.5
std::optional<double> clustered_standard_error(const ClusterTotals& totals);

/// Sum of numerators, of either sign, over the sum of denominators, with a 95 % interval by
/// Student's t over the clusters from that error; without one for a single cluster.
/// @throws ContractError if lengths differ or the denominators' total is not positive
Estimate clustered_mean(const ClusterTotals& totals);

/// A percentile of independent samples, or why there is none.
struct Percentile {
  std::optional<double> value;    ///< order statistic of rank ceil(n p)
  std::optional<double> at_most;  ///< an order statistic that the true percentile does not exceed,
                                  ///< with 99 % confidence
  std::string reason;             ///< where it is not earned: how many samples it needs
};

/// Samples from which on the second largest, so that one sample lies above it, is at least the
/// percentile with 99 % confidence: 11, 64, 130, 219 and 662 for 0.5, 0.9, 0.95, 0.97 and 0.99.
/// @param probability  in (0, 1)
std::size_t least_samples(double probability);

/// Tokens of one generation are not independent samples, nor are generations of one prompt; means
/// over them are.
/// @param values  independent samples, in any order @param probability  in (0, 1)
/// @source David and Nagaraja 2003, Order Statistics, section 7.1
Percentile percentile(std::vector<double> values, double probability);

}  // namespace speclab::analysis
