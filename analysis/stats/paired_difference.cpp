#include "analysis/stats/significance.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Sums over all clusters, and what is left of their ratio without one of them.
struct Totals {
  explicit Totals(const ClusterTotals& of)
      : clusters(of),
        numerator(std::accumulate(of.numerator.begin(), of.numerator.end(), 0.0)),
        denominator(std::accumulate(of.denominator.begin(), of.denominator.end(), 0.0)) {
    SPECLAB_EXPECT(of.numerator.size() == of.denominator.size(),
                   "a numerator for every denominator");
    SPECLAB_EXPECT(denominator > 0, "denominators with a positive sum");
  }
  double ratio() const { return numerator / denominator; }
  double ratio_without(std::size_t i) const {
    return (numerator - clusters.numerator[i]) / (denominator - clusters.denominator[i]);
  }

  const ClusterTotals& clusters;
  double numerator, denominator;
};

double jackknife_error(const std::vector<double>& without) {
  const auto n = static_cast<double>(without.size());
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / n;
  double squares = 0;
  for (const double value : without) squares += (value - mean) * (value - mean);
  return std::sqrt((n - 1) / n * squares);
}

}  // namespace

double PairedDifference::smallest_found(double level, double power) const {
  if (!difference.interval) return std::numeric_limits<double>::infinity();
  const double degrees = static_cast<double>(difference.n) - 1;
  return (sim::student_t_quantile(1 - level / 2, degrees) +
          sim::student_t_quantile(power, degrees)) *
         standard_error;
}

PairedDifference paired_difference(const ClusterTotals& base, const ClusterTotals& head) {
  SPECLAB_EXPECT(base.numerator.size() == head.numerator.size(), "the same clusters in both runs");
  const Totals base_totals(base), head_totals(head);
  const std::size_t n = base.numerator.size();
  PairedDifference result{
      .difference = {.value = head_totals.ratio() - base_totals.ratio(), .interval = {}, .n = n}};
  std::vector<double> without;
  for (std::size_t i = 0; i < n; ++i)
    without.push_back(head_totals.ratio_without(i) - base_totals.ratio_without(i));
  if (n < 2 || !std::isfinite(std::accumulate(without.begin(), without.end(), 0.0))) return result;
  result.standard_error = jackknife_error(without);
  const double degrees = static_cast<double>(n) - 1,
               reach = sim::student_t_quantile(0.975, degrees) * result.standard_error;
  result.difference.interval =
      Interval{result.difference.value - reach, result.difference.value + reach};
  const double distance = std::abs(result.difference.value);
  if (result.standard_error > 0)
    result.p_value = 2 * sim::student_t_tail(distance / result.standard_error, degrees);
  else
    result.p_value = distance > 0 ? 0 : 1;
  return result;
}

}  // namespace speclab::analysis
