#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/tables/estimate.h"

namespace speclab::analysis {

/// The exact law of a sum of independent counts, each with a law of its own; of coins the
/// Poisson-binomial law.
class CountLaw {
 public:
  /// Adds an independent count. @param law  P(count = i), i = 0, 1, ...; at least one entry,
  /// together 1
  void add(std::span<const double> law);
  double mean() const;
  /// Twice the smaller of P(sum <= count) and P(sum >= count), at most 1.
  double two_sided_p(std::int64_t count) const;
  /// The counts between which at least `share` of the sum lies, as little as possible outside on
  /// each side.
  Interval central_range(double share) const;

 private:
  std::vector<double> law_{1.0};
};

}  // namespace speclab::analysis
