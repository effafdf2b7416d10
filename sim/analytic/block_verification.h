#pragma once
// Accepted drafts of a round when a block is judged as a whole, against token by token.

#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::sim {

/// P(exactly i tokens of the chain `tokens` are kept), i = 0 ... n, by block verification: with P_0
/// = 1 and P_i = min(1, P_{i-1} p(x_i)/q(x_i)), the longest i is kept whose own coin falls below
/// h_i; h_n = P_n, else h_i = s / (s + 1 - P_i) with s = sum max(0, P_i p - q) over the laws after
/// x_i.
///
/// @param target_laws  p at each place; at least n, further ones are not looked at
/// @param draft_laws   q at each place, n
/// @throws ContractError if laws are missing
/// @source Sun et al. 2024, "Block Verification Accelerates Speculative Decoding", Alg. 2
std::vector<double> block_length_law(std::span<const std::vector<double>> target_laws,
                                     std::span<const std::vector<double>> draft_laws,
                                     std::span<const Token> tokens);

/// Drafts that block verification is expected to accept where p and q are the same at every place.
/// Enumerates all vocabulary^γ chains. Never below token_verification_accepted.
///
/// @throws ContractError if a law is none, γ < 0, or there are more than 1e7 chains
double block_verification_accepted(std::span<const double> p, std::span<const double> q,
                                   int speculation_length);

/// The same token by token: β + β^2 + ... + β^γ, β = sum min(p, q).
/// @throws ContractError if a law is none or γ < 0
/// @source Leviathan et al. 2023, Eq. 1
double token_verification_accepted(std::span<const double> p, std::span<const double> q,
                                   int speculation_length);

}  // namespace speclab::sim
