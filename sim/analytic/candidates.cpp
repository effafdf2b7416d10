#include "sim/analytic/candidates.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/bisection.h"
#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

void expect_candidates(std::span<const double> p, std::span<const double> q, int candidates) {
  expect_pair(p, q);
  expect_at_least(1, candidates, "candidates");
}

void expect_distinct_candidates(std::span<const double> p, std::span<const double> q,
                                int candidates) {
  expect_candidates(p, q, candidates);
  SPECLAB_EXPECT(static_cast<std::size_t>(candidates) <= p.size(),
                 "candidates = " + std::to_string(candidates) +
                     "; allowed: at most the vocabulary, " + std::to_string(p.size()));
}

double total(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Token ids, those of the smallest `key` first, lower ids first on ties.
template <typename Key>
std::vector<std::size_t> tokens_by(std::size_t vocab_size, Key key) {
  std::vector<std::size_t> order(vocab_size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key);
  return order;
}

/// sum min(q, p / rho): how often k-sequential selection keeps one draft.
double kept_at(double rho, std::span<const double> p, std::span<const double> q) {
  return sum_over(p, q, [&](double pi, double qi) { return std::min(qi, pi / rho); });
}

/// q without `token`, renormalised; uniform over `untried` once it is empty.
std::vector<double> without(std::vector<double> q, std::size_t token,
                            const std::vector<bool>& untried) {
  q[token] = 0.0;
  double total = 0.0;
  for (const double probability : q) total += probability;
  if (!(total > 0.0))
    for (std::size_t i = 0; i < q.size(); ++i) total += q[i] = untried[i] ? 1.0 : 0.0;
  if (total > 0.0)
    for (double& probability : q) probability /= total;
  return q;
}

/// Adds to ranks[rank...] what the paths below this state contribute; `chance` is the probability
/// of being here.
void add_ranks(std::span<const double> residual, const std::vector<double>& q,
               std::vector<bool>& untried, double chance, std::size_t rank,
               std::vector<double>& ranks) {
  ranks[rank] += chance * overlap(residual, q);
  if (rank + 1 == ranks.size()) return;
  std::vector<double> next_residual = residual_of(residual, q, 1.0);
  if (next_residual.empty()) next_residual.assign(residual.begin(), residual.end());
  for (std::size_t token = 0; token < q.size(); ++token) {
    const double rejected = std::max(0.0, q[token] - residual[token]);
    if (!(rejected > 0.0)) continue;
    untried[token] = false;
    add_ranks(next_residual, without(q, token, untried), untried, chance * rejected, rank + 1,
              ranks);
    untried[token] = true;
  }
}

}  // namespace

double naive_sampling_acceptance(std::span<const double> p, std::span<const double> q,
                                 int candidates) {
  expect_candidates(p, q, candidates);
  return sum_over(p, q, [&](double pi, double qi) { return pi * any_of(qi, candidates); });
}

double top_k_sampling_acceptance(std::span<const double> p, std::span<const double> q,
                                 int candidates) {
  expect_distinct_candidates(p, q, candidates);
  const std::vector<std::size_t> likeliest =
      tokens_by(q.size(), [&](std::size_t i) { return -q[i]; });
  double accepted = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(candidates); ++i)
    accepted += p[likeliest[i]];
  return accepted;
}

std::vector<double> multi_step_rank_acceptance(std::span<const double> p, std::span<const double> q,
                                               int candidates) {
  expect_candidates(p, q, candidates);
  std::vector<double> left(p.begin(), p.end()), ranks(static_cast<std::size_t>(candidates), 0.0);
  double reached = 1.0;
  for (std::size_t i = 0; i < ranks.size() && reached > 0.0; ++i) {
    const std::vector<double> rest = residual_of(left, q, 1.0);
    ranks[i] = rest.empty() ? reached : reached * overlap(left, q);
    reached = std::max(0.0, reached - ranks[i]);
    left = rest;
  }
  return ranks;
}

double multi_step_acceptance(std::span<const double> p, std::span<const double> q, int candidates) {
  return total(multi_step_rank_acceptance(p, q, candidates));
}

double spectr_rho(std::span<const double> p, std::span<const double> q, int candidates) {
  expect_candidates(p, q, candidates);
  return first_to_hold(1.0, candidates, [&](double rho) {
    const double kept = kept_at(rho, p, q);
    return any_of(kept, candidates) <= rho * kept;
  });
}

double spectr_acceptance(std::span<const double> p, std::span<const double> q, int candidates) {
  return any_of(kept_at(spectr_rho(p, q, candidates), p, q), candidates);
}

double optimal_acceptance_bound(std::span<const double> p, std::span<const double> q,
                                int candidates) {
  expect_candidates(p, q, candidates);
  double p_mass = 0.0, q_mass = 0.0, lowest = 0.0;
  for (const std::size_t i : tokens_by(p.size(), [&](std::size_t token) {
         return p[token] == 0.0 ? 0.0 : p[token] / q[token];
       })) {
    p_mass += p[i];
    q_mass += q[i];
    lowest = std::min(lowest, p_mass - std::pow(std::min(1.0, q_mass), candidates));
  }
  return 1.0 + lowest;
}

std::vector<double> without_replacement_rank_acceptance(std::span<const double> p,
                                                        std::span<const double> q, int candidates) {
  expect_pair(p, q);
  SPECLAB_EXPECT(candidates >= 1 && static_cast<std::size_t>(candidates) <= p.size(),
                 "candidates = " + std::to_string(candidates));
  std::vector<double> ranks(static_cast<std::size_t>(candidates), 0.0);
  std::vector<bool> untried(p.size(), true);
  add_ranks(p, {q.begin(), q.end()}, untried, 1.0, 0, ranks);
  return ranks;
}

double without_replacement_acceptance(std::span<const double> p, std::span<const double> q,
                                      int candidates) {
  const std::vector<double> ranks = without_replacement_rank_acceptance(p, q, candidates);
  return std::accumulate(ranks.begin(), ranks.end(), 0.0);
}

}  // namespace speclab::sim
