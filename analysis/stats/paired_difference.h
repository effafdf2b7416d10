#pragma once
#include "analysis/stats/bootstrap.h"

namespace speclab::analysis {

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
