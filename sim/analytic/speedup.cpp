#include "sim/analytic/speedup.h"

#include <cmath>
#include <string>

#include "sim/analytic/tokens_per_round.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

void expect_rates(double acceptance_rate, double cost_ratio) {
  SPECLAB_EXPECT(acceptance_rate >= 0.0 && acceptance_rate <= 1.0, "acceptance_rate = " + std::to_string(acceptance_rate));
  SPECLAB_EXPECT(cost_ratio >= 0.0 && std::isfinite(cost_ratio), "cost_ratio = " + std::to_string(cost_ratio));
}

}  // namespace

double predicted_speedup(double acceptance_rate, int speculation_length, double cost_ratio) {
  return predicted_speedup(acceptance_rate, speculation_length, RelativeCosts{.cost_ratio = cost_ratio});
}

double predicted_speedup(double acceptance_rate, int speculation_length, const RelativeCosts& costs) {
  expect_rates(acceptance_rate, costs.cost_ratio);
  SPECLAB_EXPECT(costs.verify_cost_ratio > 0.0 && std::isfinite(costs.verify_cost_ratio), "verify_cost_ratio must be positive");
  SPECLAB_EXPECT(costs.overhead_ratio >= 0.0 && std::isfinite(costs.overhead_ratio), "overhead_ratio must not be negative");
  return tokens_per_round(acceptance_rate, speculation_length) /
         (costs.cost_ratio * speculation_length + costs.verify_cost_ratio + costs.overhead_ratio);
}

int optimal_speculation_length(double acceptance_rate, double cost_ratio, int max_length) {
  expect_rates(acceptance_rate, cost_ratio);
  SPECLAB_EXPECT(max_length >= 0, "max_length = " + std::to_string(max_length));
  int length = 0;
  double tokens = 1.0;
  double next_survival = acceptance_rate;
  while (length < max_length && next_survival * (1.0 + cost_ratio * length) > cost_ratio * tokens) {
    tokens += next_survival;
    next_survival *= acceptance_rate;
    ++length;
  }
  return length;
}

double oracle_speedup(double acceptance_rate, double cost_ratio) {
  expect_rates(acceptance_rate, cost_ratio);
  const double cost = 1.0 - acceptance_rate + cost_ratio * acceptance_rate;
  SPECLAB_EXPECT(cost > 0.0, "at acceptance_rate 1 and cost_ratio 0 the speed-up has no bound");
  return 1.0 / cost;
}

}  // namespace speclab::sim
