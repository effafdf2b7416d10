#pragma once
#include <span>
#include <vector>

#include "sim/core/records.h"

namespace speclab::sim {

/// What is believed about a drafter before a sequence begins, from pilot prompts.
struct AcceptancePrior {
  std::vector<double> conditional_acceptance{0.5};  ///< [i] in [0, 1]; the last holds for all later levels
  std::vector<double> reach{1.0};                   ///< [i] in (0, 1]: a draft has level i + 1 if it has level i; [0] is the hit rate
  double strength = 8.0;                            ///< > 0: tested tokens that the prior is worth
};

/// How often a level was there to be reached or accepted, and how often it was; weighted once rounds are forgotten.
struct Tally {
  double trials = 0.0;
  double successes = 0.0;
};

/// Frequencies of pilot rounds by level, each shrunk towards the rate of all levels, so that none is 0 or 1.
///
/// @param rounds            of a policy that always asked for `requested_length` levels
/// @param requested_length  >= 1
/// @throws ContractError if there is no round or one is deeper than requested
AcceptancePrior acceptance_prior(std::span<const RoundRecord> rounds, int requested_length);

/// Conditional acceptance and reach of one sequence, from its own past verdicts: counts by level, exponentially forgotten,
/// shrunk towards the prior, which itself moves with the sequence's mean surprise.
class AcceptanceTracker {
 public:
  /// @param max_length  levels that are tracked
  /// @param forgetting  in (0, 1]: weight of the past after each round that drafted
  /// @throws ContractError if a probability, the strength or the forgetting is out of range
  AcceptanceTracker(const AcceptancePrior& prior, int max_length, double forgetting);

  /// @param requested  levels the drafter was allowed; 0 teaches nothing
  void observe(const RoundRecord& round, int requested);

  double conditional_acceptance(int level) const;
  double reach(int level) const;

 private:
  double surprise() const;

  double strength_;
  double forgetting_;
  std::vector<double> prior_acceptance_;  ///< by level
  std::vector<double> prior_reach_;
  std::vector<Tally> acceptance_;
  std::vector<Tally> reach_;
};

}  // namespace speclab::sim
