#include "analysis/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kTail = 0.025;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The logarithm of the product and its standard error.
struct LogRatio {
  double value = 0;
  double standard_error = 0;
};

double weighted_total(std::span<const double> weights, std::span<const double> values) {
  return std::inner_product(weights.begin(), weights.end(), values.begin(), 0.0);
}

/// @param influence  [clusters], work space
LogRatio log_ratio(std::span<const ClusterTotals> factors, std::span<const double> weights,
                   std::vector<double>& influence) {
  LogRatio result;
  influence.assign(weights.size(), 0.0);
  for (const auto& factor : factors) {
    const double numerator = weighted_total(weights, factor.numerator);
    const double denominator = weighted_total(weights, factor.denominator);
    if (numerator <= 0 || denominator <= 0) return {.value = -kInfinity, .standard_error = 0};
    result.value += std::log(numerator / denominator);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      influence[i] += factor.numerator[i] / numerator - factor.denominator[i] / denominator;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * influence[i] * influence[i];
  const double n = static_cast<double>(weights.size());
  result.standard_error = std::sqrt(sum * n / (n - 1));
  return result;
}

/// Type 7 of Hyndman and Fan 1996 on sorted values, some of which may be infinite.
double quantile(std::span<const double> sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0 || sorted[below] == sorted[below + 1]) return sorted[below];
  return std::lerp(sorted[below], sorted[below + 1], fraction);
}

Interval exponentiated(const LogRatio& estimate, double t_low, double t_high) {
  return {.low = std::exp(estimate.value - t_high * estimate.standard_error),
          .high = std::exp(estimate.value - t_low * estimate.standard_error)};
}

/// The studentised deviations of all resamples, sorted; a resample of one cluster only has no
/// spread and is left out.
std::vector<double> studentised(std::span<const ClusterTotals> factors, const LogRatio& estimate,
                                std::span<const double> multiplicities, std::size_t num_clusters) {
  std::vector<double> deviations;
  std::vector<double> influence;
  for (std::size_t begin = 0; begin < multiplicities.size(); begin += num_clusters) {
    const LogRatio resampled =
        log_ratio(factors, multiplicities.subspan(begin, num_clusters), influence);
    if (resampled.value == -kInfinity) {
      deviations.push_back(-kInfinity);
    } else if (resampled.standard_error > 0) {
      deviations.push_back((resampled.value - estimate.value) / resampled.standard_error);
    }
  }
  std::ranges::sort(deviations);
  return deviations;
}

void expect_valid(std::span<const ClusterTotals> factors) {
  SPECLAB_EXPECT(!factors.empty() && !factors[0].numerator.empty(), "no clusters");
  for (const auto& factor : factors) {
    SPECLAB_EXPECT(factor.numerator.size() == factors[0].numerator.size() &&
                       factor.denominator.size() == factors[0].numerator.size(),
                   "factors of different numbers of clusters");
  }
}

}  // namespace

const std::vector<double>& Bootstrap::multiplicities(std::size_t num_clusters) {
  auto& counts = multiplicities_[num_clusters];
  if (!counts.empty()) return counts;
  counts.assign(kResamples * num_clusters, 0.0);
  for (std::uint32_t resample = 0; resample < kResamples; ++resample) {
    for (std::uint32_t draw = 0; draw < num_clusters; ++draw) {
      const double uniform = stream_.uniform({.sequence = resample,
                                              .position = draw,
                                              .purpose = Purpose::bootstrap,
                                              .draw = static_cast<std::uint32_t>(num_clusters)});
      counts[resample * num_clusters +
             static_cast<std::size_t>(uniform * static_cast<double>(num_clusters))] += 1;
    }
  }
  return counts;
}

Estimate Bootstrap::ratio(const ClusterTotals& totals) { return product_of_ratios({&totals, 1}); }

Estimate Bootstrap::product_of_ratios(std::span<const ClusterTotals> factors) {
  expect_valid(factors);
  const std::size_t n = factors[0].numerator.size();
  std::vector<double> influence;
  const LogRatio estimate = log_ratio(factors, std::vector<double>(n, 1.0), influence);
  SPECLAB_EXPECT(estimate.value > -kInfinity, "a total is not positive");
  Estimate result{.value = 1, .interval = std::nullopt, .n = n};
  for (const auto& factor : factors) {
    result.value *= std::reduce(factor.numerator.begin(), factor.numerator.end()) /
                    std::reduce(factor.denominator.begin(), factor.denominator.end());
  }
  if (n < 2) return result;
  if (estimate.standard_error == 0) {
    result.interval = Interval{result.value, result.value};
    return result;
  }
  const double t = sim::student_t_quantile(1 - kTail, static_cast<double>(n - 1));
  result.interval = exponentiated(estimate, -t, t);
  if (n < kMinClusters || n > kMostClusters) return result;
  const auto deviations = studentised(factors, estimate, multiplicities(n), n);
  const double low = quantile(deviations, kTail), high = quantile(deviations, 1 - kTail);
  if (std::isfinite(low) && std::isfinite(high))
    result.interval = exponentiated(estimate, low, high);
  return result;
}

}  // namespace speclab::analysis
