#include "sim/analytic/warped_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/one_token.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

std::vector<std::size_t> likeliest_first(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return p[i]; });
  return order;
}

/// p on `kept` alone, renormalised.
std::vector<double> restricted(std::span<const double> p, std::span<const std::size_t> kept) {
  double mass = 0.0;
  for (const std::size_t i : kept) mass += p[i];
  std::vector<double> law(p.size(), 0.0);
  for (const std::size_t i : kept) law[i] = p[i] / mass;
  return law;
}

}  // namespace

std::vector<double> softmax_with_temperature(std::span<const double> logits, double temperature) {
  expect_not_negative(temperature, "temperature");
  for (const double logit : logits)
    SPECLAB_EXPECT(logit < std::numeric_limits<double>::infinity(),
                   "a logit is +infinite or not a number");
  SPECLAB_EXPECT(!logits.empty() && std::isfinite(*std::ranges::max_element(logits)),
                 "no logit is finite");
  const auto best = std::ranges::max_element(logits);
  std::vector<double> law(logits.size(), 0.0);
  law[static_cast<std::size_t>(best - logits.begin())] = 1.0;
  if (temperature == 0.0) return law;
  std::ranges::transform(logits, law.begin(),
                         [&](double logit) { return std::exp((logit - *best) / temperature); });
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& probability : law) probability /= total;
  return law;
}

std::vector<double> top_k_distribution(std::span<const double> p, int top_k) {
  expect_law(p, "p");
  expect_at_least(1, top_k, "top_k");
  const std::vector<std::size_t> order = likeliest_first(p);
  return restricted(
      p, std::span(order).first(std::min(order.size(), static_cast<std::size_t>(top_k))));
}

std::vector<double> top_p_distribution(std::span<const double> p, double top_p) {
  expect_law(p, "p");
  SPECLAB_EXPECT(top_p > 0.0 && top_p <= 1.0,
                 "top_p = " + std::to_string(top_p) + "; allowed: above 0, at most 1");
  const std::vector<std::size_t> order = likeliest_first(p);
  double mass = 0.0;
  std::size_t kept = 0;
  while (kept < order.size() && mass < top_p) mass += p[order[kept++]];
  return restricted(p, std::span(order).first(kept));
}

double acceptance_probability_of_logits(std::span<const double> target_logits,
                                        std::span<const double> draft_logits, double temperature) {
  return acceptance_probability(softmax_with_temperature(target_logits, temperature),
                                softmax_with_temperature(draft_logits, temperature));
}

}  // namespace speclab::sim
