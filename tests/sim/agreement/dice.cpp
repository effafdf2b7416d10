#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/sim/agreement/twin.h"

namespace speclab::testing {

std::size_t Dice::draw(std::span<const double> weights) {
  double left = uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t i = 0;
  for (; i + 1 < weights.size() && left >= weights[i]; ++i) left -= weights[i];
  while (weights[i] == 0.0) --i;  // where rounding ran past the last token that is possible
  return i;
}

double Dice::beta(double a, double b) {
  const double x = std::gamma_distribution<double>(a)(engine_);
  return x / (x + std::gamma_distribution<double>(b)(engine_));
}

std::vector<double> Dice::law(int size) {
  std::vector<double> law;
  for (int i = 0; i < size; ++i) law.push_back(0.02 - std::log(1.0 - uniform()));
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& probability : law) probability /= total;
  return law;
}

std::vector<double> Dice::ranks(int size, double total) {
  std::vector<double> ranks = law(size + 1);
  ranks.pop_back();
  std::ranges::sort(ranks, std::greater<>());
  for (double& rank : ranks) rank *= total;
  return ranks;
}

}  // namespace speclab::testing
