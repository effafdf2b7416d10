#include "sim/analytic/optimal_tokens.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/best_first_tree.h"
#include "sim/analytic/sequoia_table.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

std::vector<double> by_best_first(std::span<const double> ranks, const TreeBudget& limits) {
  std::vector<double> values = best_first_scores(ranks, limits);
  std::partial_sum(values.begin(), values.end(), values.begin());
  values.resize(static_cast<std::size_t>(limits.nodes), values.back());
  return values;
}

std::vector<double> by_table(const SequoiaTable& table, const TreeBudget& limits) {
  std::vector<double> values;
  for (int nodes = 1; nodes <= limits.nodes; ++nodes)
    values.push_back(
        std::max(table.tokens(nodes, limits.levels), values.empty() ? 1.0 : values.back()));
  return values;
}

}  // namespace

OptimalTokens::OptimalTokens(std::span<const double> rank_acceptance, const TreeBudget& limits)
    : limits_(limits) {
  limits.expect_valid();
  const auto add_levels = [&](auto values_of) {
    for (int levels = 1; levels <= std::min(limits.levels, limits.nodes); ++levels)
      by_level_.push_back(values_of(TreeBudget{limits.nodes, levels}));
  };
  if (std::ranges::is_sorted(rank_acceptance, std::ranges::greater{})) {
    add_levels([&](const TreeBudget& budget) { return by_best_first(rank_acceptance, budget); });
    return;
  }
  const SequoiaTable table(rank_acceptance, limits);
  add_levels([&](const TreeBudget& budget) { return by_table(table, budget); });
}

double OptimalTokens::at_most(int nodes, int levels) const {
  SPECLAB_EXPECT(nodes >= 1 && nodes <= limits_.nodes && levels >= 1 && levels <= limits_.levels,
                 std::to_string(nodes) + " nodes, " + std::to_string(levels) +
                     " levels; allowed: 1 to the limits");
  return by_level_[std::min(static_cast<std::size_t>(levels), by_level_.size()) - 1]
                  [static_cast<std::size_t>(nodes) - 1];
}

}  // namespace speclab::sim
