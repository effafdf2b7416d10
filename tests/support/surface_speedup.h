#pragma once
// Speed-up by a measured cost surface in place of scalar costs, far from the end of a generation:
// the closed forms that predictions by generation.h are compared with.

#include <span>

#include "sim/analytic/cost_surface.h"
#include "sim/analytic/static_tree.h"

namespace speclab::sim {

/// Mean tokens of a round, from conditional_acceptance[i] = P(draft i accepted given that all
/// before it were).
/// @throws ContractError unless all are in [0, 1]
double tokens_per_round_from_conditional(std::span<const double> conditional_acceptance);

/// Expected tokens of a round times a plain step over the round: E t(1) / (t_draft(γ) + t_target(γ
/// + 1) + overhead), all at one context.
///
/// @param acceptance_rate     α in [0, 1]
/// @param speculation_length  γ >= 0
/// @param context             tokens in the cache, >= 0
/// @throws ContractError if an argument is out of range or costs of a needed kind were not measured
/// @source Leviathan et al. 2023, Theorem 3.8, each cost measured where it arises
double predicted_speedup(double acceptance_rate, int speculation_length, const CostSurface& costs,
                         int context);

/// The same without independence. @param conditional_acceptance  one entry a level, each in [0, 1]
double predicted_speedup(std::span<const double> conditional_acceptance, const CostSurface& costs,
                         int context);

/// The smallest length of the largest speed-up, 0 ... max_length. All are tried: with a measured
/// verification cost the speed-up has more than one peak.
/// @throws ContractError as predicted_speedup, or if max_length < 0
int optimal_speculation_length(double acceptance_rate, const CostSurface& costs, int context,
                               int max_length);

/// The best tree of at most `limits` by the surface: maximises F(n, l) t(1) / round(l - 1 levels, n
/// rows). The smallest on ties.
/// @throws ContractError if an argument is out of range or costs of a needed kind were not measured
/// @source Sequoia (Chen et al. 2024), Section 4.1, costs measured
HardwareAwareTree hardware_aware_tree(std::span<const double> rank_acceptance,
                                      const CostSurface& costs, int context,
                                      const TreeBudget& limits);

}  // namespace speclab::sim
