#include "sim/analytic/estimates.h"

#include <cmath>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::sim {

double acceptance_rate_estimate(long long accepted, long long rounds_with_rejection) {
  expect_at_least(0, accepted, "accepted");
  expect_at_least(0, rounds_with_rejection, "rounds_with_rejection");
  const auto tested = static_cast<double>(accepted) + static_cast<double>(rounds_with_rejection);
  expect_positive(tested, "tested");
  return static_cast<double>(accepted) / tested;
}

double acceptance_rate_standard_error(double acceptance_rate, long long tested) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_at_least(1, tested, "tested");
  return std::sqrt(acceptance_rate * (1.0 - acceptance_rate) / static_cast<double>(tested));
}

double tokens_per_round_standard_error(double acceptance_rate, int speculation_length,
                                       long long rounds) {
  expect_at_least(1, rounds, "rounds");
  return std::sqrt(tokens_per_round_variance(acceptance_rate, speculation_length) /
                   static_cast<double>(rounds));
}

}  // namespace speclab::sim
