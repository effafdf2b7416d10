#include "sim/analytic/needed_acceptance.h"

#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/bisection.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

double best_speedup(double acceptance_rate, double cost_ratio, int max_length) {
  return predicted_speedup(acceptance_rate,
                           optimal_speculation_length(acceptance_rate, cost_ratio, max_length),
                           cost_ratio);
}

}  // namespace

double acceptance_rate_of_step(int speculation_length, double cost_ratio) {
  expect_at_least(1, speculation_length, "speculation_length");
  expect_not_negative(cost_ratio, "cost_ratio");
  SPECLAB_EXPECT(cost_ratio < 1.0, "cost_ratio = " + std::to_string(cost_ratio) +
                                       "; allowed: below 1, or no length is ever best");
  return first_to_hold(0.0, 1.0, [&](double acceptance_rate) {
    return optimal_speculation_length(acceptance_rate, cost_ratio, speculation_length) ==
           speculation_length;
  });
}

double acceptance_rate_needed(double speedup, double cost_ratio, int max_length) {
  const double most = best_speedup(1.0, cost_ratio, max_length);
  SPECLAB_EXPECT(speedup >= 1.0 && speedup <= most, "speedup = " + std::to_string(speedup) +
                                                        "; allowed: 1 to " + std::to_string(most));
  return first_to_hold(0.0, 1.0, [&](double acceptance_rate) {
    return best_speedup(acceptance_rate, cost_ratio, max_length) >= speedup;
  });
}

double acceptance_rate_from_tokens_per_round(double tokens, int speculation_length) {
  expect_at_least(1, speculation_length, "speculation_length");
  SPECLAB_EXPECT(tokens >= 1.0 && tokens <= speculation_length + 1.0,
                 "tokens_per_round = " + std::to_string(tokens) + "; allowed: 1 to " +
                     std::to_string(speculation_length + 1));
  return first_to_hold(0.0, 1.0, [&](double acceptance_rate) {
    return tokens_per_round(acceptance_rate, speculation_length) >= tokens;
  });
}

}  // namespace speclab::sim
