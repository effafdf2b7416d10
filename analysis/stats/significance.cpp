#include "analysis/stats/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/system/errors.h"

namespace speclab::analysis {

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

}  // namespace speclab::analysis
