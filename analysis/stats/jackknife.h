#pragma once
#include <numeric>
#include <vector>

namespace speclab::analysis {

/// Of a statistic, by the delete-one jackknife. @param without  its value without each part of its
/// data in turn, at least one
/// @source Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11
inline double jackknife_variance(const std::vector<double>& without) {
  const auto n = static_cast<double>(without.size());
  const double mean = std::reduce(without.begin(), without.end()) / n;
  double squares = 0;
  for (const double one : without) squares += (one - mean) * (one - mean);
  return squares * (n - 1) / n;
}

}  // namespace speclab::analysis
