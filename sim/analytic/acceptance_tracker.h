#pragma once
#include <vector>

#include "sim/core/records.h"

namespace speclab::sim {

/// What is believed about a drafter before a sequence begins, from pilot prompts.
struct AcceptancePrior {
  std::vector<double> conditional_acceptance{0.5};  ///< [i] in [0, 1]; the last holds for all later levels
  std::vector<double> reach{1.0};                   ///< [i] in (0, 1]: a draft has level i + 1 if it has level i; [0] is the hit rate
  double strength = 8.0;                            ///< > 0: tested tokens that the prior is worth
};

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
  struct Counts {
    double prior = 0.0;
    double trials = 0.0;
    double successes = 0.0;
  };

  double surprise() const;

  double strength_;
  double forgetting_;
  std::vector<Counts> acceptance_;
  std::vector<Counts> reach_;
};

}  // namespace speclab::sim
