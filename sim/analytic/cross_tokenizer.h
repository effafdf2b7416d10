#pragma once
// Bookkeeping of runs whose draft has another tokenizer: drafts are re-read as the target's tokens,
// so that only counts of those compare, and a round may submit any number of them.

namespace speclab::sim {

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
