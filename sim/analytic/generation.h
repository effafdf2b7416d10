#pragma once
// Predicted decoding time of a whole generation: rounds of a known law, a cost surface, and the cut
// at the end.

#include <span>
#include <vector>

#include "sim/analytic/cost_surface.h"
#include "sim/core/records.h"

namespace speclab::sim {

// How long one sequence takes: not only the mean, because whoever waits for an answer waits for the
// slow ones too.

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

/// One outcome of a round: levels drafted, levels accepted, and how often.
struct RoundOutcome {
  int depth = 0;
  int accepted = 0;  ///< <= depth
  double probability = 0.0;
};

/// Joint law of (depth, accepted) of a round: probabilities sum to 1.
using RoundLaw = std::vector<RoundOutcome>;

/// Every draft has as many levels as there are conditional acceptances, each in [0, 1].
/// @throws ContractError if one is out of range
RoundLaw round_law(std::span<const double> conditional_acceptance);

/// A draft has d levels with probability depth_probability[d] (0 for rounds without a proposal),
/// whatever will be accepted.
/// @param conditional_acceptance  at least as long as the deepest draft
/// @throws ContractError if a probability is out of range or depth_probability does not sum to 1
/// within 1e-9
RoundLaw round_law(std::span<const double> depth_probability,
                   std::span<const double> conditional_acceptance);

/// Frequencies of logged rounds: keeps whatever dependence of depth and acceptance they had.
/// @throws ContractError if there is none
RoundLaw empirical_round_law(std::span<const RoundRecord> rounds);

/// The law the same rounds would have had with drafts cut to `speculation_length` levels.
RoundLaw truncated(const RoundLaw& law, int speculation_length);

/// What the decoder does with drafts that are longer than what may still be emitted.
enum class EndRule {
  drafts_in_full,
  drafts_what_can_be_emitted,  ///< at most (tokens left - 1) levels
};

struct GenerationPlan {
  int new_tokens = 128;   ///< > 0
  int prompt_tokens = 0;  ///< context at the start, >= 0
  std::vector<int>
      rows_of_depth{};  ///< target rows of a draft with d levels; empty: d + 1, a chain
  EndRule end_rule = EndRule::drafts_in_full;

  /// Target rows of a draft with `depth` levels. @throws ContractError if rows_of_depth does not
  /// reach it
  int rows(int depth) const;
};

/// Expected values of one generation; prefill is not in them.
struct GenerationPrediction {
  double rounds = 0.0;
  double drafting_rounds = 0.0;  ///< with at least one level
  double target_ns = 0.0;
  double draft_ns = 0.0;
  double overhead_ns = 0.0;
  double decode_ns() const { return target_ns + draft_ns + overhead_ns; }
  void add(const GenerationPrediction& other, double weight);
};

/// One round at `context` whose draft has `depth` levels.
GenerationPrediction round_prediction(int depth, int context, const GenerationPlan& plan,
                                      const CostSurface& costs);

/// Sums over rounds by a recursion in the tokens that are left, so the ragged end and the growing
/// context are exact. A law with only depth 0 is plain decoding.
///
/// @throws ContractError if the plan or the law is out of range, or costs of a needed kind were not
/// measured
GenerationPrediction predict_generation(const RoundLaw& law, const GenerationPlan& plan,
                                        const CostSurface& costs);

}  // namespace speclab::sim
