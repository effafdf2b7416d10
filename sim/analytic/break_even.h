#pragma once
// Whether drafting pays at all, with scalar costs and independent acceptances.

namespace speclab::sim {

/// Whether some length pays: α > c.
/// @param acceptance_rate  α in [0, 1]
/// @param cost_ratio       c >= 0
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Corollary 3.9; that nothing pays at α <= c is ours
bool speculation_can_pay(double acceptance_rate, double cost_ratio);

/// Whether this length pays: the sum over i = 1 ... γ of (α^i - c) is above 0; nothing drafted does
/// not.
/// @throws ContractError if an argument is out of range
/// @source ours
bool speculation_pays(double acceptance_rate, int speculation_length, double cost_ratio);

/// What the best length reaches at least where α > c: (1 + α) / (1 + c), the speed-up of one
/// drafted token. Below 1 elsewhere.
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Corollary 3.9
double predicted_speedup_lower_bound(double acceptance_rate, double cost_ratio);

/// The speed-up of ever longer drafts that cost nothing: 1 / (1 - α).
/// @throws ContractError unless α is in [0, 1)
/// @source Leviathan et al. 2023, Section 3.6
double negligible_cost_speedup_limit(double acceptance_rate);

}  // namespace speclab::sim
