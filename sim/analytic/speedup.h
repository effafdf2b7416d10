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

// Whether drafting pays at all, with scalar costs and independent acceptances.

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

// The chain's formulas turned round: the acceptance rate at which something is reached. All to the
// last bit, by bisection.

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

// What a round of a chain draft costs in arithmetic and in memory traffic, per token that it emits.

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

// The clairvoyant drafter: each round drafts exactly the run that will be accepted, and still
// verifies.

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
