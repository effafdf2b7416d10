#include "analysis/stats/intervals.h"

#include <algorithm>
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

constexpr double kConfidence = 0.99;

/// P(the order statistic of rank `rank` of n samples is at least the percentile): fewer than that
/// lie below it.
double confidence(std::size_t n, std::size_t rank, double probability) {
  return sim::binomial_cdf(static_cast<int>(rank) - 1, static_cast<int>(n), probability);
}

}  // namespace

std::optional<Interval> log_interval(double value, double standard_error, double degrees) {
  constexpr double kLargestReach = 3;  // a factor of 20
  const double reach =
      standard_error == 0 ? 0 : sim::student_t_quantile(0.975, degrees) * standard_error;
  if (!(reach <= kLargestReach)) return std::nullopt;
  return Interval{value * std::exp(-reach), value * std::exp(reach)};
}

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

std::size_t least_samples(double probability) {
  SPECLAB_EXPECT(probability > 0 && probability < 1, "a percentile in (0, 1)");
  std::size_t n = 2;
  while (confidence(n, n - 1, probability) < kConfidence) ++n;
  return n;
}

Percentile percentile(std::vector<double> values, double probability) {
  const std::size_t needed = least_samples(probability), n = values.size();
  if (n < needed)
    return {.value = {},
            .at_most = {},
            .reason = std::to_string(n) + " of " + std::to_string(needed) + " samples"};
  std::ranges::sort(values);
  const auto rank =
      static_cast<std::size_t>(std::ceil(static_cast<double>(n) * probability - 1e-9));
  std::size_t bound = rank;
  while (confidence(n, bound, probability) < kConfidence) ++bound;
  return {.value = values[rank - 1], .at_most = values[bound - 1], .reason = ""};
}

}  // namespace speclab::analysis
