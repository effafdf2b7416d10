#pragma once
// Tokens of a round where acceptances depend on one another: rates that differ between prompts, and
// rates with a memory.

#include <array>
#include <vector>

namespace speclab::sim {

/// survival[i] = P(the first i + 1 drafts are accepted) where each prompt has its own rate, drawn
/// from Beta(a, b): prod_{j <= i} (a + j) / (a + b + j).
/// @param beta_a, beta_b      > 0
/// @param speculation_length  γ >= 0
/// @throws ContractError if an argument is out of range
/// @source ours: moments of the Beta law
std::vector<double> beta_mixture_survival(double beta_a, double beta_b, int speculation_length);
/// Tokens of its rounds: above those of the mean rate, a / (a + b).
double tokens_per_round_beta_mixture(double beta_a, double beta_b, int speculation_length);

/// Places of the text are easy (0) or hard (1), hidden from the drafter; a draft is accepted by the
/// rate of its place. The state moves by one step from each place to the next, whether its token
/// was drafted, recovered or a bonus.
struct TwoStateAcceptance {
  std::array<double, 2> acceptance_rate{0.9, 0.5};  ///< each in [0, 1]
  double easy_to_hard = 0.1;                        ///< in (0, 1]
  double hard_to_easy = 0.3;                        ///< in (0, 1]

  /// Share of easy places: hard_to_easy / (easy_to_hard + hard_to_easy). @throws ContractError if a
  /// field is out of range
  double easy_share() const;
};

/// What a long text shows. Rounds begin behind rejections, and so more often in hard places than
/// places are hard.
struct TwoStateRounds {
  double easy_start = 0.0;       ///< share of rounds whose first place is easy
  std::vector<double> survival;  ///< of those rounds, γ entries
  double tokens_per_round = 1.0;
};

/// @throws ContractError if a field or γ < 0 is out of range
/// @source ours
TwoStateRounds two_state_rounds(const TwoStateAcceptance& places, int speculation_length);

/// Tokens of the long run.
/// @throws ContractError as two_state_rounds
double tokens_per_round_two_state(const TwoStateAcceptance& places, int speculation_length);

}  // namespace speclab::sim
