#include "sim/analytic/one_token.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

void expect_law(std::span<const double> law) {
  double total = 0.0;
  for (const double probability : law) {
    SPECLAB_EXPECT(probability >= 0.0, "a probability is negative or not a number");
    total += probability;
  }
  SPECLAB_EXPECT(std::abs(total - 1.0) <= 1e-9, "a law sums to " + std::to_string(total));
}

void expect_pair(std::span<const double> p, std::span<const double> q) {
  SPECLAB_EXPECT(p.size() == q.size(), "p and q have different vocabularies");
  expect_law(p);
  expect_law(q);
}

double overlap(std::span<const double> p, std::span<const double> q) {
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += std::min(p[i], q[i]);
  return total;
}

/// norm max(0, p - q), or p where that has no mass.
std::vector<double> reduced(std::span<const double> p, std::span<const double> q) {
  std::vector<double> residual(p.size());
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += residual[i] = std::max(0.0, p[i] - q[i]);
  if (!(total > 0.0)) return {p.begin(), p.end()};
  for (double& probability : residual) probability /= total;
  return residual;
}

/// q without `token`, renormalised; uniform over `untried` once it is empty.
std::vector<double> without(std::vector<double> q, std::size_t token, const std::vector<bool>& untried) {
  q[token] = 0.0;
  double total = 0.0;
  for (const double probability : q) total += probability;
  if (!(total > 0.0))
    for (std::size_t i = 0; i < q.size(); ++i) total += q[i] = untried[i] ? 1.0 : 0.0;
  if (total > 0.0)
    for (double& probability : q) probability /= total;
  return q;
}

/// Adds to ranks[rank...] what the paths below this state contribute; `chance` is the probability of being here.
void add_ranks(std::span<const double> residual, const std::vector<double>& q, std::vector<bool>& untried, double chance,
               std::size_t rank, std::vector<double>& ranks) {
  ranks[rank] += chance * overlap(residual, q);
  if (rank + 1 == ranks.size()) return;
  const std::vector<double> next_residual = reduced(residual, q);
  for (std::size_t token = 0; token < q.size(); ++token) {
    const double rejected = std::max(0.0, q[token] - residual[token]);
    if (!(rejected > 0.0)) continue;
    untried[token] = false;
    add_ranks(next_residual, without(q, token, untried), untried, chance * rejected, rank + 1, ranks);
    untried[token] = true;
  }
}

}  // namespace

double lk_divergence(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += std::abs(p[i] - q[i]);
  return total / 2.0;
}

double acceptance_probability(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return overlap(p, q);
}

std::vector<double> residual_distribution(std::span<const double> p, std::span<const double> q) {
  SPECLAB_EXPECT(lk_divergence(p, q) > 0.0, "p = q leaves no residual");
  return reduced(p, q);
}

std::vector<double> without_replacement_rank_acceptance(std::span<const double> p, std::span<const double> q, int candidates) {
  expect_pair(p, q);
  SPECLAB_EXPECT(candidates >= 1 && static_cast<std::size_t>(candidates) <= p.size(), "candidates = " + std::to_string(candidates));
  std::vector<double> ranks(static_cast<std::size_t>(candidates), 0.0);
  std::vector<bool> untried(p.size(), true);
  add_ranks(p, {q.begin(), q.end()}, untried, 1.0, 0, ranks);
  return ranks;
}

}  // namespace speclab::sim
