#include "sim/statistics/jackknife.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sim/statistics/distributions.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

double transformed(double value, Scale scale) {
  switch (scale) {
    case Scale::identity:
      return value;
    case Scale::logarithm:
      return std::log(value);
    case Scale::logit:
      return std::log(value) - std::log1p(-value);
  }
  throw_contract_error("a Scale", __FILE__, __LINE__, "not a Scale");
}

double original(double value, Scale scale) {
  switch (scale) {
    case Scale::identity:
      return value;
    case Scale::logarithm:
      return std::exp(value);
    case Scale::logit:
      return 1.0 / (1.0 + std::exp(-value));
  }
  throw_contract_error("a Scale", __FILE__, __LINE__, "not a Scale");
}

void expect_on_scale(double value, Scale scale) {
  const bool allowed = std::isfinite(value) && (scale == Scale::identity || value >= 0.0) &&
                       (scale != Scale::logit || value <= 1.0);
  SPECLAB_EXPECT(allowed, "an estimate of " + std::to_string(value) + " is outside its scale");
}

}  // namespace

Estimate jackknife_estimate(double value, std::span<const double> without, Scale scale) {
  expect_on_scale(value, scale);
  const auto n = static_cast<double>(without.size());
  Estimate estimate{.value = value, .interval = std::nullopt, .n = without.size()};
  const double centre = transformed(value, scale);
  std::vector<double> deviations;
  double mean = 0.0;
  for (const double other : without) {
    expect_on_scale(other, scale);
    deviations.push_back(transformed(other, scale));
    mean += deviations.back() / n;
  }
  if (without.size() < 2 || !std::isfinite(centre) || !std::isfinite(mean)) return estimate;
  double square_sum = 0.0;
  for (const double deviation : deviations) square_sum += (deviation - mean) * (deviation - mean);
  const double reach = student_t_quantile(0.975, n - 1.0) * std::sqrt((n - 1.0) / n * square_sum);
  estimate.interval = Interval{original(centre - reach, scale), original(centre + reach, scale)};
  return estimate;
}

double jackknife_variance(std::span<const double> without) {
  const auto n = static_cast<double>(without.size());
  const double mean = std::reduce(without.begin(), without.end()) / n;
  double squares = 0;
  for (const double one : without) squares += (one - mean) * (one - mean);
  return squares * (n - 1) / n;
}

std::vector<double> jackknife_covariance(std::span<const std::vector<double>> without) {
  SPECLAB_EXPECT(without.size() >= 2, "a covariance needs two clusters");
  const std::size_t size = without[0].size();
  const auto n = static_cast<double>(without.size());
  std::vector<double> mean(size, 0.0), covariance(size * size, 0.0);
  for (const auto& estimates : without) {
    SPECLAB_EXPECT(estimates.size() == size, "lists of estimates differ in length");
    for (std::size_t i = 0; i < size; ++i) mean[i] += estimates[i] / n;
  }
  for (const auto& estimates : without)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        covariance[i * size + j] +=
            (n - 1.0) / n * (estimates[i] - mean[i]) * (estimates[j] - mean[j]);
  return covariance;
}

}  // namespace speclab::sim
