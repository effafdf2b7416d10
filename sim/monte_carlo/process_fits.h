#pragma once
// Which acceptance process made a log? Fits by maximum likelihood, and the tokens per round that
// each implies.

#include <span>
#include <string>
#include <vector>

#include "sim/analytic/acceptance_mixtures.h"
#include "sim/monte_carlo/acceptance_counts.h"
#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/round_trace.h"

namespace speclab::sim {

/// One rate for all.
struct IidFit {
  double acceptance_rate = 0.0;
  double log_likelihood = 0.0;  ///< of the verdicts in their order; the three fits can be compared
};

/// @throws DataError if nothing was tested
IidFit fit_iid(ClusterCounts clusters);

/// A rate a prompt, from a beta law.
struct BetaFit {
  BetaParameters law;
  double log_likelihood = 0.0;
  bool overdispersed = true;  ///< false: prompts differ no more than chance has it, and a + b
                              ///< stands at its greatest value, 1e6
};

/// Maximum over the mean and over a + b in [1e-2, 1e6].
/// @throws DataError if fewer than two prompts were tested, or all or no draft was accepted
BetaFit fit_beta(ClusterCounts clusters);

/// Easy and hard places of the text.
struct TwoStateFit {
  TwoStateAcceptance places;  ///< acceptance_rate[0] >= acceptance_rate[1]
  double log_likelihood = 0.0;
  int iterations = 0;
};

/// Expectation-maximisation from three starts, each until an iteration gains less than 1e-7, 500 at
/// most; places of bonus tokens are missing observations, and what the first places of texts say
/// about the chances of leaving is not used. @throws DataError if nothing was tested, or all or no
/// draft was accepted
/// @source Baum, Petrie, Soules and Weiss 1970
TwoStateFit fit_two_state(std::span<const LoggedGeneration> log);
/// From one start alone, until an iteration gains less than `least_gain`: for logs that differ a
/// little from one whose fit is the start.
TwoStateFit fit_two_state_from(const TwoStateAcceptance& start, double least_gain,
                               std::span<const LoggedGeneration> log);

/// A fit as a row of a table.
struct FittedProcess {
  std::string process;  ///< iid, beta_mixed, two_state: the names of the processes
  std::string parameters;
  double log_likelihood = 0.0;
  double akaike_criterion =
      0.0;  ///< 2 parameters - 2 log_likelihood: the least is the best account for its size
  double tokens_per_round = 1.0;  ///< at the length asked for, seen in the log or not
};

/// Tokens per round at `speculation_length`, in the long run. @throws ContractError if it is < 0
FittedProcess described(const IidFit& fit, int speculation_length);
FittedProcess described(const BetaFit& fit, int speculation_length);
FittedProcess described(const TwoStateFit& fit, int speculation_length);

/// All that can be fitted, i.i.d. first. @throws DataError as fit_iid, ContractError if
/// speculation_length < 0
std::vector<FittedProcess> fit_processes(std::span<const LoggedGeneration> log,
                                         int speculation_length);

}  // namespace speclab::sim
