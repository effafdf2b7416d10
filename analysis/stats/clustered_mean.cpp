#include "analysis/stats/clustered_mean.h"

#include <cmath>
#include <numeric>

#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double ratio_of(const ClusterTotals& totals) {
  SPECLAB_EXPECT(totals.numerator.size() == totals.denominator.size(),
                 "a numerator for every denominator");
  const double denominator = sum_of(totals.denominator);
  SPECLAB_EXPECT(denominator > 0, "denominators with a positive sum");
  return sum_of(totals.numerator) / denominator;
}

}  // namespace

std::optional<double> clustered_standard_error(const ClusterTotals& totals) {
  const double ratio = ratio_of(totals), count = static_cast<double>(totals.numerator.size());
  if (count < 2) return std::nullopt;
  double squares = 0;
  for (std::size_t i = 0; i < totals.numerator.size(); ++i)
    squares += std::pow(totals.numerator[i] - ratio * totals.denominator[i], 2);
  return std::sqrt(squares * count / (count - 1)) / sum_of(totals.denominator);
}

Estimate clustered_mean(const ClusterTotals& totals) {
  const std::size_t n = totals.numerator.size();
  Estimate estimate{.value = ratio_of(totals), .interval = {}, .n = n};
  const std::optional<double> error = clustered_standard_error(totals);
  if (!error) return estimate;
  const double t = sim::student_t_quantile(0.975, static_cast<double>(n) - 1);
  estimate.interval = Interval{estimate.value - t * *error, estimate.value + t * *error};
  return estimate;
}

}  // namespace speclab::analysis
