#pragma once
// Predicted decoding time of a whole generation: rounds of a known law, a cost surface, and the cut
// at the end.

#include <span>
#include <vector>

#include "sim/analytic/cost_surface.h"
#include "sim/core/records.h"

namespace speclab::sim {

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
