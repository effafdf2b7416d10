#pragma once
#include "analysis/stats/bootstrap.h"

namespace speclab::analysis {

/// Sum of numerators, of either sign, over the sum of denominators, with a 95 % interval by
/// Student's t over the clusters from the linearised standard error; without one for a single
/// cluster.
/// @throws ContractError if lengths differ or the denominators' total is not positive
/// @source Cochran 1977, Sampling Techniques, section 6.5
Estimate clustered_mean(const ClusterTotals& totals);

}  // namespace speclab::analysis
