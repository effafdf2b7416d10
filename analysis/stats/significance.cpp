#include "analysis/stats/significance.h"

#include <algorithm>
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

double sign_test_p(int successes, int trials) {
  SPECLAB_EXPECT(trials >= 0 && trials <= 10'000 && successes >= 0 && successes <= trials,
                 "no such count of successes");
  long double term = std::ldexp(1.0L, -trials),
              tail =
                  0.0L;  // in whose range 2^-10000 is; of `trials` successes, then one fewer a step
  for (int k = trials; k >= successes; --k) {
    tail += term;
    term *= static_cast<long double>(k) / (trials - k + 1);
  }
  return static_cast<double>(tail);
}

int significant_successes(int trials, double level) {
  int least = trials + 1;
  while (least > 0 && sign_test_p(least - 1, trials) <= level) --least;
  return least;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  for (const double p : p_values)
    SPECLAB_EXPECT(p >= 0.0 && p <= 1.0, "a p-value is not in [0, 1]");
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(order.size() - rank) * p_values[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

void CountLaw::add(std::span<const double> law) {
  SPECLAB_EXPECT(!law.empty(), "a count has a law");
  std::vector<double> longer(law_.size() + law.size() - 1, 0.0);
  for (std::size_t i = 0; i < law_.size(); ++i)
    for (std::size_t j = 0; j < law.size(); ++j) longer[i + j] += law_[i] * law[j];
  while (longer.size() > 1 && longer.back() == 0.0) longer.pop_back();
  law_ = std::move(longer);
}

double CountLaw::mean() const {
  double mean = 0.0;
  for (std::size_t i = 0; i < law_.size(); ++i) mean += static_cast<double>(i) * law_[i];
  return mean;
}

double CountLaw::two_sided_p(std::int64_t count) const {
  double below = 0.0, above = 0.0;
  for (std::size_t i = 0; i < law_.size(); ++i) {
    if (static_cast<std::int64_t>(i) <= count) below += law_[i];
    if (static_cast<std::int64_t>(i) >= count) above += law_[i];
  }
  return std::min(1.0, 2.0 * std::min(below, above));
}

Interval CountLaw::central_range(double share) const {
  const double tail = 0.5 * (1.0 - share);
  std::size_t low = 0, high = law_.size() - 1;
  for (double below = law_[low]; low < high && below <= tail; below += law_[low]) ++low;
  for (double above = law_[high]; high > low && above <= tail; above += law_[high]) --high;
  return {static_cast<double>(low), static_cast<double>(high)};
}

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
