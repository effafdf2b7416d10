#include "sim/analytic/speedup.h"

#include <limits>
#include <numbers>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/bisection.h"
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

double operations_factor(double acceptance_rate, int speculation_length,
                         double draft_operations_ratio) {
  expect_not_negative(draft_operations_ratio, "draft_operations_ratio");
  const double tokens = tokens_per_round(acceptance_rate, speculation_length);
  return (speculation_length * draft_operations_ratio + speculation_length + 1.0) / tokens;
}

double target_reads_per_token(double acceptance_rate, int speculation_length) {
  return 1.0 / tokens_per_round(acceptance_rate, speculation_length);
}

double bytes_per_token(double acceptance_rate, int speculation_length, const ReadBytes& bytes) {
  expect_positive(bytes.target_bytes, "target_bytes");
  expect_not_negative(bytes.draft_bytes, "draft_bytes");
  const double tokens = tokens_per_round(acceptance_rate, speculation_length);
  return (bytes.target_bytes + speculation_length * bytes.draft_bytes) / tokens;
}

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
