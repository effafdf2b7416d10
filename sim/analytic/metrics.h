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

}  // namespace speclab::sim
