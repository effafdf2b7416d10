#pragma once
// Which acceptance process do a run's rounds look like?

#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/groups.h"

namespace speclab::analysis {

/// A process fitted to rounds by maximum likelihood, and how well it tells what they emitted.
struct FittedAcceptance {
  std::string process;          ///< iid, per_position, beta_mixed, two_state
  std::string parameters;       ///< "name=value", in the words of sim/monte_carlo/process_fits.h
  double akaike_criterion = 0;  ///< the least is the best account for its size
  Estimate tokens_per_round;    ///< that it implies at the table's length
  Estimate misfit;  ///< that less what the rounds show: an interval without 0 says that the process
                    ///< does not fit, or, of two_state, whose tokens are those of the long run,
                    ///< that texts are short
};

struct ProcessTable {
  int speculation_length = 0;  ///< the longest that the rounds can answer for
  Estimate tokens_per_round;   ///< at this length, from acceptance by position, without a model
  std::optional<double>
      constant_acceptance_p{};  ///< of acceptance being the same at all positions; missing where
                                ///< rounds are too few to ask
  std::vector<FittedAcceptance> fits;
};

/// Intervals are 95 %, Student's t over at most eight groups of prompts, each left out once.
/// Nothing for groups that are not of chains or that tested no position often enough. @source Efron
/// and Tibshirani 1993, An Introduction to the Bootstrap, section 11.5 (delete-d jackknife)
std::optional<ProcessTable> process_table(const Generations& generations, const Run& run);

}  // namespace speclab::analysis
