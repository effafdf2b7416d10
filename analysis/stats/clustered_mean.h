#pragma once
#include <optional>

#include "analysis/stats/bootstrap.h"

namespace speclab::analysis {

/// Linearised standard error of the sum of numerators over the sum of denominators; nothing for a
/// single cluster.
/// @throws ContractError if lengths differ or the denominators' total is not positive
/// @source Cochran 1977, Sampling Techniques, section 6.5
std::optional<double> clustered_standard_error(const ClusterTotals& totals);

/// Sum of numerators, of either sign, over the sum of denominators, with a 95 % interval by
/// Student's t over the clusters from that error; without one for a single cluster.
/// @throws ContractError if lengths differ or the denominators' total is not positive
Estimate clustered_mean(const ClusterTotals& totals);

}  // namespace speclab::analysis
