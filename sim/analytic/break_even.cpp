#include "sim/analytic/break_even.h"

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {

bool speculation_can_pay(double acceptance_rate, double cost_ratio) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_not_negative(cost_ratio, "cost_ratio");
  return acceptance_rate > cost_ratio;
}

bool speculation_pays(double acceptance_rate, int speculation_length, double cost_ratio) {
  expect_not_negative(cost_ratio, "cost_ratio");
  return tokens_per_round(acceptance_rate, speculation_length) - 1.0 >
         speculation_length * cost_ratio;
}

double predicted_speedup_lower_bound(double acceptance_rate, double cost_ratio) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_not_negative(cost_ratio, "cost_ratio");
  return (1.0 + acceptance_rate) / (1.0 + cost_ratio);
}

double negligible_cost_speedup_limit(double acceptance_rate) {
  expect_probability(acceptance_rate, "acceptance_rate");
  SPECLAB_EXPECT(acceptance_rate < 1.0, "acceptance_rate = 1 has no limit; allowed: below 1");
  return 1.0 / (1.0 - acceptance_rate);
}

}  // namespace speclab::sim
