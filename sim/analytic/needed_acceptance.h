#pragma once
// The chain's formulas turned round: the acceptance rate at which something is reached. All to the
// last bit, by bisection.

namespace speclab::sim {

/// The smallest α at which a length of at least `speculation_length` is best: where Figure 3 steps
/// up to it.
/// @param speculation_length  >= 1
/// @param cost_ratio          c in [0, 1), so that every length is best somewhere
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Figure 3
double acceptance_rate_of_step(int speculation_length, double cost_ratio);

/// The smallest α whose best length, of at most `max_length`, reaches this speed-up.
/// @param speedup     >= 1, and within reach at α = 1
/// @param cost_ratio  c >= 0
/// @throws ContractError if an argument is out of range
/// @source ours, for the speed-ups of Leviathan et al. 2023, Appendix A.5
double acceptance_rate_needed(double speedup, double cost_ratio, int max_length);

/// α of independent acceptances that emit this many tokens a round.
/// @param tokens_per_round    in [1, γ + 1]
/// @param speculation_length  γ >= 1
/// @throws ContractError if an argument is out of range
/// @source ours: Leviathan et al. 2023, Eq. 1, turned round
double acceptance_rate_from_tokens_per_round(double tokens_per_round, int speculation_length);

}  // namespace speclab::sim
