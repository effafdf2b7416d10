#pragma once
// Lengths that follow what was accepted: the +2/-1 schedule as a Markov chain.

#include <span>
#include <vector>

namespace speclab::sim {

/// Lengths of the rounds of the schedule, the one after the last round included: +2 where every
/// draft was accepted, else -1, at least 1.
/// @param matches  for each round, drafts that would be accepted however long the round was; each
/// >= 0
/// @param start    length of the first round, >= 1
/// @throws ContractError if an argument is out of range
/// @source Gante 2023, "Assisted Generation" (Hugging Face), greedy loop
std::vector<int> heuristic_speculation_length(std::span<const int> matches, int start);

/// The length at which the schedule neither grows nor shrinks on average, P(all accepted) = 1/3 for
/// +2/-1: ln 3 / (-ln α). The cost of drafting is not in it.
/// @param acceptance_rate  α in [0, 1)
/// @throws ContractError if an argument is out of range
/// @source ours
double heuristic_balance_length(double acceptance_rate);

/// Tokens of its rounds if there were no floor: (1 - α/3) / (1 - α).
/// @throws ContractError unless α is in [0, 1)
/// @source ours
double heuristic_tokens_per_round(double acceptance_rate);

/// The schedule with its floor, in the long run.
struct HeuristicLongRun {
  std::vector<double> length_law;  ///< length_law[i] = P(a round has length i + 1); sums to 1, what
                                   ///< it leaves out is below 1e-16
  double mean_speculation_length = 1.0;
  double full_accept_probability = 0.0;
  double tokens_per_round = 1.0;
};

/// The stationary law of the length is exact: between lengths g and g + 1 as many rounds rise as
/// fall, π(g+1) (1 - α^(g+1)) = π(g) α^g + π(g-1) α^(g-1).
/// @param acceptance_rate  α in [0, 1); the lengths to be followed grow like 1 / (1 - α)
/// @throws ContractError if α is out of range or above 0.99999
/// @source ours
HeuristicLongRun heuristic_long_run(double acceptance_rate);

/// Its speed-up: tokens per round / (1 + c mean length).
/// @throws ContractError as heuristic_long_run, or if c < 0
/// @source ours
double heuristic_predicted_speedup(double acceptance_rate, double cost_ratio);

}  // namespace speclab::sim
