#include "tests/support/surface_speedup.h"

#include <algorithm>

#include "sim/analytic/arguments.h"
#include "sim/analytic/sequoia_table.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::sim {
namespace {

double chain_speedup(double tokens, int length, const CostSurface& costs, int context) {
  return tokens * costs.plain_step_ns(context) / costs.round_ns(length, length + 1, context);
}

}  // namespace

double tokens_per_round_from_conditional(std::span<const double> conditional_acceptance) {
  double tokens = 1.0;
  double survival = 1.0;
  for (const double acceptance : conditional_acceptance) {
    expect_probability(acceptance, "conditional_acceptance");
    tokens += survival *= acceptance;
  }
  return tokens;
}

double predicted_speedup(double acceptance_rate, int speculation_length, const CostSurface& costs,
                         int context) {
  return chain_speedup(tokens_per_round(acceptance_rate, speculation_length), speculation_length,
                       costs, context);
}

double predicted_speedup(std::span<const double> conditional_acceptance, const CostSurface& costs,
                         int context) {
  return chain_speedup(tokens_per_round_from_conditional(conditional_acceptance),
                       static_cast<int>(conditional_acceptance.size()), costs, context);
}

int optimal_speculation_length(double acceptance_rate, const CostSurface& costs, int context,
                               int max_length) {
  expect_at_least(0, max_length, "max_length");
  int best = 0;
  double best_speedup = predicted_speedup(acceptance_rate, 0, costs, context);
  for (int length = 1; length <= max_length; ++length) {
    const double speedup = predicted_speedup(acceptance_rate, length, costs, context);
    if (!(speedup > best_speedup)) continue;
    best = length;
    best_speedup = speedup;
  }
  return best;
}

HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance,
                                      const CostSurface& costs, int context,
                                      const TreeBudget& limits) {
  const OptimalTokens tokens(rank_acceptance, limits);
  HardwareAwareTree best{.budget = {}, .predicted_speedup = 1.0};
  for (int nodes = 2; nodes <= limits.nodes; ++nodes)
    for (int levels = 2; levels <= std::min(nodes, limits.levels); ++levels) {
      const double speedup = tokens.at_most(nodes, levels) * costs.plain_step_ns(context) /
                             costs.round_ns(levels - 1, nodes, context);
      if (speedup > best.predicted_speedup) best = {{nodes, levels}, speedup};
    }
  return best;
}

}  // namespace speclab::sim
