#pragma once
// What a round of a chain draft costs in arithmetic and in memory traffic, per token that it emits.

namespace speclab::sim {

/// Operations of speculative over those of plain decoding: (γ ĉ + γ + 1) / E. At least 1: rejected
/// rows are wasted.
///
/// @param acceptance_rate         α in [0, 1]
/// @param speculation_length      γ >= 0
/// @param draft_operations_ratio  ĉ, draft over target operations of a token, >= 0
/// @throws ContractError if an argument is out of range
/// @source Leviathan et al. 2023, Theorem 3.11
double operations_factor(double acceptance_rate, int speculation_length,
                         double draft_operations_ratio);

/// How often the target's weights and cached keys and values are read per token: 1 / E.
/// @throws ContractError as tokens_per_round
/// @source Leviathan et al. 2023, Section 3.4
double target_reads_per_token(double acceptance_rate, int speculation_length);

/// Bytes that one forward reads.
struct ReadBytes {
  double target_bytes = 0.0;  ///< > 0
  double draft_bytes = 0.0;   ///< >= 0
};

/// Bytes read per token, the draft's included: (target + γ draft) / E.
/// @throws ContractError if an argument is out of range
/// @source ours, after Leviathan et al. 2023, Section 3.4
double bytes_per_token(double acceptance_rate, int speculation_length, const ReadBytes& bytes);

}  // namespace speclab::sim
