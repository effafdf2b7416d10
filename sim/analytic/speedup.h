#pragma once
// Predicted speed-up with scalar costs, and the length that maximises it.

namespace speclab::sim {

/// Costs in units of one target forward of one token.
struct RelativeCosts {
  double cost_ratio = 0.0;         ///< c: one draft forward, >= 0
  double verify_cost_ratio = 1.0;  ///< v: a target forward of γ + 1 rows, > 0
  double overhead_ratio = 0.0;     ///< o: host and sampling time of a round, >= 0
};

/// S = E / (1 + c γ).
/// @param acceptance_rate     α in [0, 1]
/// @param speculation_length  γ >= 0
/// @param cost_ratio          c >= 0
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Theorem 3.8
double predicted_speedup(double acceptance_rate, int speculation_length, double cost_ratio);

/// S = E / (c γ + v + o).
/// @throws ContractError if an argument is out of range
/// @source MagicDec (Chen et al. 2024), Eq. 2, inverted; the overhead is our addition
double predicted_speedup(double acceptance_rate, int speculation_length,
                         const RelativeCosts& costs);

/// The same of a mean that is known, E. The costs are not checked.
double predicted_speedup_of_tokens(double tokens_per_round, int speculation_length,
                                   const RelativeCosts& costs);

/// The smallest γ that maximises E / (1 + c γ), by the exact rule: while α^(g+1) (1 + c g) > c E,
/// take one more. Its two sides differ by a strictly falling function of g, so the first failure is
/// the global maximum.
///
/// @param max_length  cap >= 0, needed where c = 0 or α = 1
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Section 3.5 asks for the maximiser; the rule is ours
int optimal_speculation_length(double acceptance_rate, double cost_ratio, int max_length);

}  // namespace speclab::sim
