#pragma once
// Tests of one difference, of a family of them and of a sum of counts.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/estimate.h"

namespace speclab::analysis {

/// Chance of `successes` or more in `trials` tosses of a fair coin: the one-sided sign test.
///
/// @param successes  in [0, trials]
/// @param trials     in [0, 10000]
/// @throws ContractError if an argument is out of range
/// @source Dixon and Mood 1946, The statistical sign test
double sign_test_p(int successes, int trials);

/// The least successes whose sign_test_p is at most `level`; trials + 1 where none is.
int significant_successes(int trials, double level);

/// p-values adjusted for a family: rejecting what is at most alpha errs with a chance of at most
/// alpha in the whole family, whatever the tests have to do with each other.
///
/// @param p_values  each in [0, 1]
/// @return in the order given, each in [0, 1]
/// @throws ContractError if one is not in [0, 1]
/// @source Holm 1979, A simple sequentially rejective multiple test procedure
std::vector<double> holm_adjusted(std::span<const double> p_values);

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

/// How a ratio of totals differs between two runs over the same clusters.
struct PairedDifference {
  Estimate difference;  ///< head's ratio - base's; 95 % interval by Student's t, none for fewer
                        ///< than two clusters
  double standard_error =
      0;  ///< of the difference, jackknife over clusters; 0 where every cluster differs alike
  double p_value = 1;  ///< two-sided, of no difference; 1 without an interval

  /// The smallest true difference that a two-sided test at `level` finds with probability `power`;
  /// infinite without an interval.
  double smallest_found(double level, double power) const;
};

/// @param base, head  entry i of both is the same cluster
/// @throws ContractError if numbers of clusters differ or a denominator's total is not positive
/// @source Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.2 (jackknife)
PairedDifference paired_difference(const ClusterTotals& base, const ClusterTotals& head);

}  // namespace speclab::analysis
