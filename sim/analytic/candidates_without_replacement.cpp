#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "sim/analytic/arguments.h"
#include "sim/analytic/candidates.h"
#include "sim/analytic/law_sums.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

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
