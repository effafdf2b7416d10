#include "analysis/stats/acceptance_by_position.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "sim/monte_carlo/acceptance_counts.h"

namespace speclab::analysis {
namespace {

std::map<std::string, sim::AcceptanceCounts> counts_by_prompt(const Generations& generations,
                                                              const Run& run) {
  std::map<std::int64_t, const std::string*> prompt_of_row;
  for (const auto* g : generations) prompt_of_row[g->row_id] = &g->prompt_id;
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

std::vector<PositionAcceptance> acceptance_by_position(const Generations& generations,
                                                       const Run& run, Bootstrap& bootstrap) {
  const auto counts = counts_by_prompt(generations, run);
  std::vector<PositionAcceptance> positions;
  std::vector<ClusterTotals> factors;
  for (std::size_t index = 0;; ++index) {
    factors.push_back(totals_at(counts, index));
    const auto& accepted = factors.back().numerator;
    if (std::accumulate(accepted.begin(), accepted.end(), 0.0) <= 0) return positions;
    positions.push_back({.position = static_cast<int>(index) + 1,
                         .conditional_acceptance = bootstrap.ratio(factors.back()),
                         .survival = bootstrap.product_of_ratios(factors)});
    for (auto* estimate : {&positions.back().conditional_acceptance, &positions.back().survival})
      *estimate = within(*estimate, 0, 1);
  }
}

}  // namespace speclab::analysis
