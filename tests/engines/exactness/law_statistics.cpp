#include "tests/engines/exactness/law_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/statistics/distributions.h"
#include "tests/engines/exactness/real_pairs.h"

namespace speclab::engines::testing {
namespace {

constexpr double kFalseAlarm = 1e-6, kMissOdds = 1e-6;
constexpr double kLeastExpected = 100.0;
constexpr double kRules = 8;

}  // namespace

const double kLevel = kFalseAlarm / (4.0 * kRules * kContexts);

double p_value(const std::vector<double>& counts, const std::vector<double>& probabilities,
               double* smallest_shift) {
  const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
  double statistic = 0.0, pooled_count = 0.0, pooled_expected = 0.0;
  int cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] * n >= kLeastExpected)
      add(counts[i], probabilities[i] * n);
    else
      pooled_count += counts[i], pooled_expected += probabilities[i] * n;
  }
  if (pooled_expected >= kLeastExpected) add(pooled_count, pooled_expected);
  if (cells < 2) return 1.0;
  if (smallest_shift != nullptr)
    *smallest_shift = std::max(
        *smallest_shift,
        std::sqrt(sim::chi_squared_noncentrality(cells - 1, kLevel, kMissOdds) / (4.0 * n)));
  return sim::chi_squared_tail(statistic, cells - 1);
}

double total_variation(const std::vector<double>& counts,
                       const std::vector<double>& probabilities) {
  const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    total += std::abs(counts[i] / n - probabilities[i]);
  return 0.5 * total;
}

double surest_total_variation(double n) {
  return std::sqrt((static_cast<double>(kVocab) * std::log(2.0) - std::log(kLevel)) / (2.0 * n));
}

std::vector<double> probabilities_of(const Law& law) {
  std::vector<double> values;
  double total = 0.0;
  for (Token token = 0; static_cast<std::size_t>(token) < law.vocab_size(); ++token)
    total += values.emplace_back(static_cast<double>(law[token]));
  for (double& value : values) value /= total;
  return values;
}

std::pair<std::vector<std::size_t>, std::vector<double>> eighths(const Law& law) {
  std::vector<std::size_t> parts;
  std::vector<double> mass(8, 0.0);
  double below = 0.0;
  for (const double probability : probabilities_of(law)) {
    parts.push_back(std::min<std::size_t>(7, static_cast<std::size_t>(below * 8.0)));
    mass[parts.back()] += probability;
    below += probability;
  }
  return {parts, mass};
}

}  // namespace speclab::engines::testing
