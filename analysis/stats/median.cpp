#include "analysis/stats/median.h"

#include <algorithm>
#include <numeric>

#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::analysis {

Estimate median(std::vector<double> values) {
  SPECLAB_EXPECT(!values.empty(), "no values");
  std::ranges::sort(values);
  const std::size_t n = values.size();
  Estimate result{
      .value = std::midpoint(values[(n - 1) / 2], values[n / 2]), .interval = std::nullopt, .n = n};
  // The interval from the k-th smallest to the k-th largest misses with twice P(at most k - 1 heads
  // of n).
  std::size_t k = 0;
  while (sim::fair_coin_cdf(static_cast<int>(k), static_cast<int>(n)) <= 0.025) ++k;
  if (k > 0) result.interval = Interval{values[k - 1], values[n - k]};
  return result;
}

}  // namespace speclab::analysis
