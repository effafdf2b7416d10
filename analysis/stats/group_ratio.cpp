#include "analysis/stats/groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "sim/monte_carlo/acceptance_counts.h"

namespace speclab::analysis {
namespace {

ClusterTotals totals_by_prompt(const Generations& generations, const Quantity& numerator,
                               const Quantity& denominator) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const auto* g : generations) {
    sums[g->cluster()].first += numerator(*g);
    sums[g->cluster()].second += denominator(*g);
  }
  ClusterTotals totals;
  for (const auto& [prompt, sum] : sums) totals.add(sum.first, sum.second);
  return totals;
}

std::map<std::string, sim::AcceptanceCounts> counts_by_prompt(const Generations& generations,
                                                              const Run& run) {
  std::map<std::int64_t, const std::string*> prompt_of_row;
  for (const auto* g : generations) prompt_of_row[g->row_id] = &g->cluster();
  std::map<std::string, sim::AcceptanceCounts> counts;
  for (const auto& round : run.rounds) {
    const auto found = prompt_of_row.find(round.row_id);
    if (found != prompt_of_row.end())
      counts[*found->second].add(static_cast<int>(round.depth), static_cast<int>(round.accepted));
  }
  return counts;
}

ClusterTotals totals_at(const std::map<std::string, sim::AcceptanceCounts>& counts,
                        std::size_t index) {
  ClusterTotals totals;
  for (const auto& [prompt, c] : counts) totals.add(c.accepted_at(index), c.tested_at(index));
  return totals;
}

}  // namespace

double sum_over(const Generations& generations, const Quantity& quantity) {
  double sum = 0;
  for (const auto* g : generations) sum += quantity(*g);
  return sum;
}

std::optional<Estimate> ratio_over(const Generations& generations, const Quantity& numerator,
                                   const Quantity& denominator, Bootstrap& bootstrap) {
  if (sum_over(generations, denominator) <= 0) return std::nullopt;
  const ClusterTotals totals = totals_by_prompt(generations, numerator, denominator);
  if (sum_over(generations, numerator) <= 0)
    return Estimate{.value = 0, .interval = std::nullopt, .n = totals.numerator.size()};
  return bootstrap.ratio(totals);
}

std::vector<DepthSurvival> acceptance_by_depth(const Generations& generations, const Run& run,
                                               Bootstrap& bootstrap) {
  const auto counts = counts_by_prompt(generations, run);
  std::vector<DepthSurvival> depths;
  std::vector<ClusterTotals> factors;
  for (std::size_t index = 0;; ++index) {
    factors.push_back(totals_at(counts, index));
    const auto& accepted = factors.back().numerator;
    if (std::accumulate(accepted.begin(), accepted.end(), 0.0) <= 0) return depths;
    depths.push_back({.depth = static_cast<int>(index) + 1,
                      .conditional_acceptance = bootstrap.ratio(factors.back()),
                      .survival = bootstrap.product_of_ratios(factors)});
    for (auto* estimate : {&depths.back().conditional_acceptance, &depths.back().survival})
      *estimate = within(*estimate, 0, 1);
  }
}

}  // namespace speclab::analysis
