#include "sim/analytic/one_token.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/law_sums.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

std::size_t index_in(std::span<const double> p, Token token) {
  SPECLAB_EXPECT(
      token >= 0 && static_cast<std::size_t>(token) < p.size(),
      "token " + std::to_string(token) + "; allowed: 0 to " + std::to_string(p.size() - 1));
  return static_cast<std::size_t>(token);
}

}  // namespace

double lk_divergence(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return 0.5 * sum_over(p, q, [](double pi, double qi) { return std::abs(pi - qi); });
}

double acceptance_probability(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return overlap(p, q);
}

std::vector<double> residual_distribution(std::span<const double> p, std::span<const double> q) {
  SPECLAB_EXPECT(lk_divergence(p, q) > 0.0, "p = q leaves no residual");
  std::vector<double> residual = residual_of(p, q, 1.0);
  SPECLAB_EXPECT(!residual.empty(),
                 "no token of p is likelier than in q, which leaves no residual");
  return residual;
}

double sample_match_acceptance_rate(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return sum_over(p, q, [](double pi, double qi) { return pi * qi; });
}

double point_mass_acceptance_rate(std::span<const double> p, Token draft_token) {
  expect_law(p, "p");
  return p[index_in(p, draft_token)];
}

double point_mass_acceptance_rate(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return p[static_cast<std::size_t>(std::ranges::max_element(q) - q.begin())];
}

double noniterative_acceptance_rate(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  double least = 1.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0.0) least = std::min(least, q[i] / p[i]);
  return least;
}

std::vector<double> value_dependent_drop_output(std::span<const double> p,
                                                std::span<const double> q, Token kept_if_token) {
  expect_pair(p, q);
  const std::size_t kept = index_in(p, kept_if_token);
  const double rejected = std::max(0.0, q[kept] - p[kept]);
  const std::vector<double> residual = residual_of(p, q, 1.0);
  std::vector<double> output(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    output[i] = (1.0 - q[kept]) * p[i] + (residual.empty() ? 0.0 : rejected * residual[i]);
  output[kept] += std::min(p[kept], q[kept]);
  return output;
}

}  // namespace speclab::sim
