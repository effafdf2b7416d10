#pragma once
// What synthetic generations of a fixed number of tokens are expected to show, exactly: the truth
// that intervals must cover.

#include <span>
#include <vector>

#include "sim/analytic/acceptance_mixtures.h"

namespace speclab::testing {

/// Expected rounds of one generation that test a level, and that accept there.
struct ExpectedCounts {
  std::vector<double> tested;    ///< [level]
  std::vector<double> accepted;  ///< [level]

  double acceptance_rate() const;                          ///< ratio of the totals over all levels
  double conditional_acceptance(std::size_t level) const;  ///< ratio at one level
  double survival(std::size_t level) const;                ///< product of those up to it
  double tokens_per_round() const;                         ///< 1 + sum of survival
};

/// Drafts of γ levels in full until `new_tokens` are out, by recursion over the tokens left and the
/// state of the next place.
ExpectedCounts expected_counts(const sim::TwoStateAcceptance& places, int speculation_length,
                               int new_tokens);
/// Of i.i.d. acceptance.
ExpectedCounts expected_counts(double acceptance_rate, int speculation_length, int new_tokens);
/// Of acceptance by level, the same in all rounds. Rounds are then alike, and their number is a
/// stopping time: the ratios are those of one round, however many tokens there are.
ExpectedCounts expected_counts(std::span<const double> conditional_acceptance);
/// Of prompts whose rates have the law Beta(a, b): the mean over 4,000 equally likely rates.
ExpectedCounts expected_beta_counts(double a, double b, int speculation_length, int new_tokens);

}  // namespace speclab::testing
