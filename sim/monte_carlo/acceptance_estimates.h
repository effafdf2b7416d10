#pragma once
// What logged or simulated rounds of chains say about acceptance, with intervals clustered by
// prompt.

#include <optional>
#include <vector>

#include "sim/monte_carlo/acceptance_counts.h"
#include "sim/monte_carlo/round_trace.h"
#include "sim/statistics/estimate.h"

namespace speclab::sim {

/// Counts of each prompt, in the order in which the log first names them.
/// @throws DataError if there is no generation, or one has a round that is not a chain
std::vector<AcceptanceCounts> counts_by_prompt(std::span<const LoggedGeneration> log);

/// α: accepted / tested. All of these: @throws DataError if nothing was tested
Estimate acceptance_rate_estimate(ClusterCounts clusters);

/// Acceptance at one depth of the draft.
struct DepthAcceptance {
  int depth = 1;  ///< 1 is the first drafted token
  Estimate
      conditional_acceptance;  ///< P(accepted here | all before were, and a draft reaches here)
  Estimate survival;  ///< P(at least `depth` accepted): the product of the conditional rates so far
  double tested = 0.0;  ///< rounds behind it
};

/// Depths from 1 to the last at which a draft was accepted.
/// @source Kaplan and Meier 1958 (product limit)
std::vector<DepthAcceptance> acceptance_by_depth(ClusterCounts clusters);

/// The longest speculation length that the rounds can answer for: every level up to it was tested
/// in at least 30 rounds of at least two prompts; 0 if not even the first was.
int longest_supported_length(ClusterCounts clusters);

/// Tokens per round that drafts of `speculation_length` levels would have had: 1 + sum of survival,
/// without a model of acceptance. Rests on a draft's length not depending on what would be
/// accepted: constant lengths, or those of a drafter that looks up.
/// @return nothing beyond longest_supported_length. @throws ContractError if speculation_length < 0
std::optional<Estimate> tokens_per_round_estimate(ClusterCounts clusters, int speculation_length);

}  // namespace speclab::sim
