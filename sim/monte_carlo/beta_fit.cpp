#include <algorithm>
#include <cmath>
#include <string>

#include "sim/monte_carlo/process_fits.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kLeastConcentration = 1e-2, kGreatestConcentration = 1e6;
constexpr int kGrid = 33;         // concentrations tried before the best is refined
constexpr int kRefinements = 60;  // golden sections: the bracket shrinks by 3e-13

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

/// The argument in [low, high] at which `value` is greatest, which has one peak there.
template <typename Function>
double maximiser(double low, double high, const Function& value) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int step = 0; step < kRefinements; ++step) {
    if (at_left < at_right) {
      low = left, left = right, at_left = at_right;
      at_right = value(right = low + golden * (high - low));
    } else {
      high = right, right = left, at_right = at_left;
      at_left = value(left = high - golden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

double log_likelihood(ClusterCounts clusters, const BetaParameters& law) {
  double sum = 0.0;
  for (const AcceptanceCounts& cluster : clusters) {
    const double accepted = cluster.accepted(), rejected = cluster.tested() - accepted;
    sum += log_beta(law.a + accepted, law.b + rejected) - log_beta(law.a, law.b);
  }
  return sum;
}

BetaParameters law_of(double mean_logit, double log_concentration) {
  const double mean = 1.0 / (1.0 + std::exp(-mean_logit)),
               concentration = std::exp(log_concentration);
  return {.a = mean * concentration, .b = (1.0 - mean) * concentration};
}

/// The best law of that concentration.
BetaParameters best_law(ClusterCounts clusters, double log_concentration) {
  const auto value = [&](double mean_logit) {
    return log_likelihood(clusters, law_of(mean_logit, log_concentration));
  };
  return law_of(maximiser(-12.0, 12.0, value), log_concentration);
}

void expect_prompts(ClusterCounts clusters) {
  AcceptanceCounts total;
  int prompts = 0;
  for (const AcceptanceCounts& cluster : clusters) {
    total.add(cluster);
    prompts += cluster.tested() > 0.0 ? 1 : 0;
  }
  if (prompts < 2 || total.accepted() == 0.0 || total.accepted() == total.tested())
    throw DataError("a beta law cannot be fitted to " + std::to_string(prompts) + " prompts with " +
                    std::to_string(std::llround(total.accepted())) + " of " +
                    std::to_string(std::llround(total.tested())) +
                    " drafts accepted; it needs two prompts, and drafts of both kinds");
}

}  // namespace

BetaFit fit_beta(ClusterCounts clusters) {
  expect_prompts(clusters);
  const double low = std::log(kLeastConcentration), high = std::log(kGreatestConcentration),
               step = (high - low) / (kGrid - 1);
  const auto value = [&](double log_concentration) {
    return log_likelihood(clusters, best_law(clusters, log_concentration));
  };
  double best = low, best_value = value(low);
  for (int i = 1; i < kGrid; ++i)
    if (const double other = value(low + i * step); other > best_value)
      best = low + i * step, best_value = other;
  BetaFit fit;
  fit.overdispersed = best < high - 0.5 * step;
  fit.law = best_law(clusters, fit.overdispersed ? maximiser(std::max(low, best - step),
                                                             std::min(high, best + step), value)
                                                 : high);
  fit.log_likelihood = log_likelihood(clusters, fit.law);
  return fit;
}

}  // namespace speclab::sim
