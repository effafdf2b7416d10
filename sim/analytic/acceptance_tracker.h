#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sim/core/records.h"

namespace speclab::sim {

/// What is believed about a drafter before a sequence begins, from pilot prompts.
struct AcceptancePrior {
  std::vector<double> conditional_acceptance{
      0.5};  ///< [i] in [0, 1]; the last holds for all later levels
  std::vector<double> reach{
      1.0};  ///< [i] in (0, 1]: a draft has level i + 1 if it has level i; [0] is the hit rate
  double strength = 8.0;  ///< > 0: tested tokens that the prior is worth
};

/// Frequencies of pilot rounds by level, each shrunk towards the rate of all levels, so that none
/// is 0 or 1.
///
/// @param rounds            of a policy that always asked for `requested_length` levels
/// @param requested_length  >= 1
/// @throws ContractError if there is no round or one is deeper than requested
AcceptancePrior acceptance_prior(std::span<const RoundRecord> rounds, int requested_length);

/// Conditional acceptance and reach of one sequence, from its own past verdicts: counts by level,
/// exponentially forgotten, shrunk towards the prior, which itself moves with the sequence's mean
/// surprise.
class AcceptanceTracker {
 public:
  /// @param max_length  levels that are tracked
  /// @param forgetting  in (0, 1]: weight of the past after each round that drafted
  /// @throws ContractError if a probability, the strength or the forgetting is out of range
  AcceptanceTracker(const AcceptancePrior& prior, int max_length, double forgetting);

  /// @param requested  levels the drafter was allowed; 0 teaches nothing
  void observe(const RoundRecord& round, int requested);

  std::size_t levels() const { return constants_->prior_acceptance.size(); }
  /// What is believed of every level now. @param conditional_acceptance, reach  [level], as many as
  /// levels()
  void rates(std::span<double> conditional_acceptance, std::span<double> reach) const;

 private:
  /// A number of every level.
  using Levels = std::vector<double>;
  /// How often every level was there to be reached or accepted, and how often it was.
  struct Tallies {
    Levels trials, successes;
  };

  /// What is the same in all copies.
  struct Constants {
    Levels prior_acceptance;
    Levels prior_reaches;  ///< strength times reach
    Levels steps;          ///< as many ones as there are levels, then as many zeros
  };

  void forget_and_count(Levels& levels, int counted) const;
  void forget_and_count(Tallies& tallies, int tested, int succeeded) const;
  double surprise() const;

  double strength_;
  double forgetting_;
  std::shared_ptr<const Constants> constants_;
  Tallies acceptance_, reach_;
};

}  // namespace speclab::sim
