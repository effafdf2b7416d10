#pragma once
// What is reported of runs, and how the numbers of different papers and servers convert into one
// another.

#include <string>

namespace speclab::sim {

/// Wall time and tokens of some prompts together.
struct RunTotals {
  double seconds = 0.0;  ///< > 0
  double tokens = 0.0;   ///< > 0
};

/// Measured speed-up: seconds per token of all plain prompts together over that of all speculative
/// ones. Never the mean of ratios by prompt, which weighs short prompts like long ones.
/// @throws ContractError if a total is not positive
double speedup(const RunTotals& plain, const RunTotals& speculative);

/// Accepted over drafted: (tokens_per_round - 1) / drafted; for trees `drafted` counts nodes, the
/// root not among them.
/// @param tokens_per_round  in [1, drafted + 1]
/// @param drafted           tokens drafted a round, >= 1
/// @throws ContractError if an argument is out of range
/// @source ours
double accepted_fraction_from_tokens_per_round(double tokens_per_round, int drafted);

/// How a number of a chain's rounds counts. The first three convert exactly; the others need
/// independent acceptances of one rate.
enum class RoundQuantity {
  tokens_per_round,    ///< accepted and the recovered or bonus token, 1 ... γ + 1
  accepted_per_round,  ///< without that token, 0 ... γ
  accepted_fraction,   ///< accepted / drafted
  acceptance_rate,     ///< accepted / tested
  round_hit_rate,      ///< rounds that accept at least one / rounds
};

const char* to_string(RoundQuantity quantity);

/// Whether the conversion between the two needs independent acceptances of one rate.
bool assumes_independence(RoundQuantity from, RoundQuantity to);

/// `value`, which counts like `from`, counted like `to`.
/// @param speculation_length  γ >= 1
/// @throws ContractError if the value is not one that rounds of this length can have
double convert_round_quantity(double value, RoundQuantity from, RoundQuantity to,
                              int speculation_length);

// Bookkeeping of runs whose draft has another tokenizer: drafts are re-read as the target's tokens,
// so that only counts of those compare, and a round may submit any number of them.

/// Counts of one run, in the target's tokens.
struct RunCounts {
  long long generated_tokens =
      0;                   ///< accepted + rounds, or less by what the last round lost at the limit
  long long rounds = 0;    ///< >= 1
  long long accepted = 0;  ///< drafted tokens that were kept
  long long hit_rounds = 0;  ///< rounds that kept at least one, at most min(rounds, accepted)

  /// @throws ContractError if counts are negative or do not fit together
  void expect_valid() const;
};

/// generated / rounds. All of these: @throws ContractError if the counts are not valid
/// @source NTT 2023, look-ahead decoding article, cross-tokenizer listing
double tokens_per_round_measured(const RunCounts& counts);
/// Rounds that kept a token / rounds; the article calls it the acceptance rate.
double round_hit_rate(const RunCounts& counts);
/// accepted / hit rounds. @throws ContractError too without a hit round
double accepted_per_hit_round(const RunCounts& counts);

/// What one round costs in plain steps, from what it emits and the speed-up: tokens_per_round /
/// speedup.
/// @param tokens_per_round  >= 1
/// @param speedup           > 0
/// @throws ContractError if an argument is out of range
/// @source ours
double round_cost_from_speedup(double tokens_per_round, double speedup);

}  // namespace speclab::sim
