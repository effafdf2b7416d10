#include "analysis/stats/clustered_mean.h"

#include <cmath>
#include <numeric>

#include "sim/core/errors.h"
#include "sim/monte_carlo/distributions.h"

namespace speclab::analysis {

Estimate clustered_mean(const ClusterTotals& totals) {
  SPECLAB_EXPECT(totals.numerator.size() == totals.denominator.size(),
                 "a numerator for every denominator");
  const double denominator =
      std::accumulate(totals.denominator.begin(), totals.denominator.end(), 0.0);
  SPECLAB_EXPECT(denominator > 0, "denominators with a positive sum");
  const std::size_t n = totals.numerator.size();
  Estimate estimate{
      .value = std::accumulate(totals.numerator.begin(), totals.numerator.end(), 0.0) / denominator,
      .interval = {},
      .n = n};
  if (n < 2) return estimate;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i)
    squares += std::pow(totals.numerator[i] - estimate.value * totals.denominator[i], 2);
  const double count = static_cast<double>(n),
               error = std::sqrt(squares * count / (count - 1)) / denominator;
  const double t = sim::student_t_quantile(0.975, count - 1);
  estimate.interval = Interval{estimate.value - t * error, estimate.value + t * error};
  return estimate;
}

}  // namespace speclab::analysis
