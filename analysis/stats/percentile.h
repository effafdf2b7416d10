#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace speclab::analysis {

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
