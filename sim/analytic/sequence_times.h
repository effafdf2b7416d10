#pragma once
// How long one sequence takes: not only the mean, because whoever waits for an answer waits for the
// slow ones too.

#include <span>
#include <vector>

namespace speclab::sim {

/// Times of a drafting loop that has one length.
struct LoopTimes {
  double draft_ns = 0.0;   ///< of one draft forward, >= 0
  double target_ns = 1.0;  ///< of the target's forward of all drafts, > 0

  /// γ draft_ns + target_ns. @throws ContractError if a field or γ < 0 is out of range
  /// @source Chen et al. 2023, Section 6: 4 x 1.8 ms + 14.1 ms
  double loop_ns(int speculation_length) const;
};

/// law[r] = P(N tokens take r rounds), r = 0 ... N, for independent rounds.
/// @param pmf     pmf[t] = P(a round emits t + 1 tokens); >= 0, sums to 1 within 1e-9
/// @param tokens  N >= 0; the cost grows like N^2
/// @throws ContractError if an argument is out of range
/// @source ours: the renewal recursion
std::vector<double> rounds_law(std::span<const double> pmf, int tokens);

/// The fewest rounds that a share `level` of the sequences do not exceed.
/// @param law    as rounds_law returns
/// @param level  in (0, 1]
/// @throws ContractError if an argument is out of range
int rounds_quantile(std::span<const double> law, double level);

/// Time of one sequence over all its outcomes.
struct SequenceTime {
  double mean_ns = 0.0;
  double deviation_ns = 0.0;  ///< standard deviation between sequences
};

/// @param acceptance_rate     α in [0, 1], i.i.d.
/// @param speculation_length  γ >= 0
/// @param tokens              N >= 1
/// @throws ContractError if an argument is out of range
/// @source ours; the error bars of Chen et al. 2023, Figure 1
SequenceTime sequence_time(double acceptance_rate, int speculation_length, const LoopTimes& times,
                           int tokens);

/// Tokens per second of sequences of N tokens. Percentiles follow the waiting user: 90 % of the
/// sequences are at least as fast as p90.
struct SequenceSpeeds {
  double mean_tokens_per_s = 0.0;  ///< N over the mean time: what many sequences together reach
  double p50_tokens_per_s = 0.0;
  double p90_tokens_per_s = 0.0;
  double p99_tokens_per_s = 0.0;
};

/// @param acceptance_rate     α in [0, 1], i.i.d.
/// @param speculation_length  γ >= 0
/// @param tokens              N >= 1
/// @throws ContractError if an argument is out of range
/// @source ours; Chen et al. 2023, Section 7, mention the price of long drafts in P90 and P99
SequenceSpeeds sequence_speeds(double acceptance_rate, int speculation_length,
                               const LoopTimes& times, int tokens);

}  // namespace speclab::sim
