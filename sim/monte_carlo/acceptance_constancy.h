#pragma once
#include <cstddef>

#include "sim/monte_carlo/acceptance_counts.h"

namespace speclab::sim {

/// Whether acceptance is the same at every level of the draft, as i.i.d. acceptance would have it.
struct ConstantAcceptanceTest {
  std::size_t levels = 0;  ///< that had data enough to be compared
  std::size_t prompts = 0;
  double statistic =
      0.0;  ///< F with levels - 1 and prompts - levels + 1 degrees of freedom if it is constant
  double p_value = 1.0;
};

/// Hotelling's test that the conditional acceptances of all levels are equal, with their covariance
/// from the jackknife over prompts: prompts that differ inflate no statistic, but where easy
/// prompts reach deeper levels the test sees that acceptance rises with the level, as it should.
/// Levels at which fewer than five drafts were accepted or rejected are left out, and so are those
/// beyond a third of the prompts.
///
/// @throws DataError if fewer than two levels or six prompts are left
/// @source Hotelling 1931; Efron and Tibshirani 1993, section 11.2 (jackknife)
ConstantAcceptanceTest test_constant_acceptance(ClusterCounts clusters);

}  // namespace speclab::sim
