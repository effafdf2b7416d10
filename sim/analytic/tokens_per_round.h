#pragma once
// Tokens that one round of a chain draft emits, and rounds that a generation takes.

#include <span>
#include <vector>

namespace speclab::sim {

/// Tokens one round is expected to emit: accepted drafts plus the recovered or bonus token.
///
/// @param acceptance_rate     α in [0, 1], i.i.d. over positions
/// @param speculation_length  γ, tokens, >= 0
/// @return tokens per round, in [1, γ + 1]
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Eq. 1, as the sum, which has no singularity at α = 1, by
/// doubling: as many steps as γ + 1 has bits
double tokens_per_round(double acceptance_rate, int speculation_length);

/// P(a round emits t + 1 tokens) for t = 0..γ.
/// @throws ContractError as tokens_per_round
/// @source Leviathan et al. 2023, Section 3.1: a geometric law capped at γ + 1
std::vector<double> tokens_per_round_pmf(double acceptance_rate, int speculation_length);

/// The same mean without independence: 1 + sum of survival[i], survival[i] = P(the first i + 1
/// drafts are accepted).
/// @throws ContractError unless 1 >= survival[0] >= survival[1] >= ... >= 0
double tokens_per_round_from_survival(std::span<const double> survival);

/// P(a round emits t + 1 tokens) for conditional_acceptance[i] = P(draft i accepted given that all
/// before it were).
/// @throws ContractError unless all are in [0, 1]
std::vector<double> tokens_per_round_pmf(std::span<const double> conditional_acceptance);

/// Accepted over *drafted* tokens, (E - 1) / γ; not α.
/// @throws ContractError as tokens_per_round, and for γ = 0
/// @source ours
double accepted_fraction(double acceptance_rate, int speculation_length);

/// Rounds that N tokens take: R(n) = 1 + sum over t of P(t) R(n - t), R(n <= 0) = 0. Above N /
/// tokens_per_round, because the last round is cut.
///
/// @param pmf     pmf[t] = P(a round emits t + 1 tokens); >= 0, sums to 1 within 1e-9
/// @param tokens  N >= 0
/// @throws ContractError if an argument is out of range
/// @source ours: the renewal recursion
double expected_rounds(std::span<const double> pmf, int tokens);

}  // namespace speclab::sim
