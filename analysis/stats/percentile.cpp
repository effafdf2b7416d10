#include "analysis/stats/percentile.h"

#include <algorithm>
#include <cmath>

#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kConfidence = 0.99;

/// P(the order statistic of rank `rank` of n samples is at least the percentile): fewer than that
/// lie below it.
double confidence(std::size_t n, std::size_t rank, double probability) {
  return sim::binomial_cdf(static_cast<int>(rank) - 1, static_cast<int>(n), probability);
}

}  // namespace

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
