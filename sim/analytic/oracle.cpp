#include "sim/analytic/oracle.h"

#include <limits>
#include <numbers>

#include "sim/analytic/arguments.h"
#include "sim/analytic/break_even.h"
#include "sim/analytic/speedup.h"
#include "sim/system/errors.h"

namespace speclab::sim {

double oracle_tokens_per_round(double acceptance_rate) {
  return negligible_cost_speedup_limit(acceptance_rate);
}

double oracle_speedup(double acceptance_rate, double cost_ratio) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_not_negative(cost_ratio, "cost_ratio");
  const double cost = 1.0 - acceptance_rate + cost_ratio * acceptance_rate;
  SPECLAB_EXPECT(cost > 0.0, "at acceptance_rate 1 and cost_ratio 0 the speed-up has no bound");
  return 1.0 / cost;
}

double oracle_gain(double acceptance_rate, double cost_ratio) {
  const double oracle = oracle_speedup(acceptance_rate, cost_ratio);
  const bool longer_always_pays = cost_ratio == 0.0 || (acceptance_rate == 1.0 && cost_ratio < 1.0);
  if (longer_always_pays) return 1.0;
  const int best =
      optimal_speculation_length(acceptance_rate, cost_ratio, std::numeric_limits<int>::max());
  return oracle / predicted_speedup(acceptance_rate, best, cost_ratio);
}

double oracle_gain_supremum() { return std::numbers::e / (std::numbers::e - 1.0); }

}  // namespace speclab::sim
