#include "sim/analytic/one_token.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/law_sums.h"
#include "sim/system/errors.h"

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

}  // namespace speclab::sim
