#pragma once
// The clairvoyant drafter: each round drafts exactly the run that will be accepted, and still
// verifies.

namespace speclab::sim {

/// Tokens of its rounds: 1 / (1 - α).
/// @throws ContractError unless α is in [0, 1)
/// @source Leviathan et al. 2023, Section 3.5
double oracle_tokens_per_round(double acceptance_rate);

/// Its speed-up: 1 / (1 - α + c α).
/// @param acceptance_rate  α in [0, 1]
/// @param cost_ratio       c >= 0
/// @throws ContractError if an argument is out of range or the denominator is 0
/// @source Leviathan et al. 2023, Section 3.5; the cost is ours
double oracle_speedup(double acceptance_rate, double cost_ratio);

/// Its speed-up over that of the best fixed length. Where no finite length is best (α = 1 > c, or c
/// = 0) the limit of ever longer ones, 1, is returned.
/// @throws ContractError as oracle_speedup
/// @source ours, of what Leviathan et al. 2023, Section 3.5, gives as "up to about 60 %"
double oracle_gain(double acceptance_rate, double cost_ratio);

/// No α and c give more: e / (e - 1), approached as α -> 1 at c = (1 - α) / (e - 2).
/// @source ours
double oracle_gain_supremum();

}  // namespace speclab::sim
