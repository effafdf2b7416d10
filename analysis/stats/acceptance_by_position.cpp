#include "analysis/stats/acceptance_by_position.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace speclab::analysis {
namespace {

/// Rounds of one prompt that reached each position, and that accepted there; index 0 is position 1.
struct PositionCounts {
  std::vector<double> reached;
  std::vector<double> accepted;

  void add(const Round& round) {
    const auto depth = static_cast<std::size_t>(round.depth);
    if (reached.size() < depth) {
      reached.resize(depth);
      accepted.resize(depth);
    }
    for (std::int64_t i = 0; i < round.depth && i <= round.accepted; ++i) {
      reached[static_cast<std::size_t>(i)] += 1;
      accepted[static_cast<std::size_t>(i)] += i < round.accepted ? 1 : 0;
    }
  }
};

std::map<std::string, PositionCounts> counts_by_prompt(const Generations& generations, const Run& run) {
  std::map<std::int64_t, const std::string*> prompt_of_row;
  for (const auto* g : generations) prompt_of_row[g->row_id] = &g->prompt_id;
  std::map<std::string, PositionCounts> counts;
  for (const auto& round : run.rounds) {
    const auto found = prompt_of_row.find(round.row_id);
    if (found != prompt_of_row.end()) counts[*found->second].add(round);
  }
  return counts;
}

ClusterTotals totals_at(const std::map<std::string, PositionCounts>& counts, std::size_t index) {
  ClusterTotals totals;
  for (const auto& [prompt, c] : counts) {
    const bool has = index < c.reached.size();
    totals.add(has ? c.accepted[index] : 0, has ? c.reached[index] : 0);
  }
  return totals;
}

}  // namespace

std::vector<PositionAcceptance> acceptance_by_position(const Generations& generations, const Run& run, Bootstrap& bootstrap) {
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
    for (auto* estimate : {&positions.back().conditional_acceptance, &positions.back().survival}) *estimate = within(*estimate, 0, 1);
  }
}

}  // namespace speclab::analysis
