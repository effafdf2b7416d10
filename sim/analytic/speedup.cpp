#include "sim/analytic/speedup.h"

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::sim {

double predicted_speedup(double acceptance_rate, int speculation_length, double cost_ratio) {
  return predicted_speedup(acceptance_rate, speculation_length,
                           RelativeCosts{.cost_ratio = cost_ratio});
}

double predicted_speedup(double acceptance_rate, int speculation_length,
                         const RelativeCosts& costs) {
  expect_not_negative(costs.cost_ratio, "cost_ratio");
  expect_positive(costs.verify_cost_ratio, "verify_cost_ratio");
  expect_not_negative(costs.overhead_ratio, "overhead_ratio");
  return predicted_speedup_of_tokens(tokens_per_round(acceptance_rate, speculation_length),
                                     speculation_length, costs);
}

double predicted_speedup_of_tokens(double tokens_per_round, int speculation_length,
                                   const RelativeCosts& costs) {
  return tokens_per_round /
         (costs.cost_ratio * speculation_length + costs.verify_cost_ratio + costs.overhead_ratio);
}

int optimal_speculation_length(double acceptance_rate, double cost_ratio, int max_length) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_not_negative(cost_ratio, "cost_ratio");
  expect_at_least(0, max_length, "max_length");
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

}  // namespace speclab::sim
