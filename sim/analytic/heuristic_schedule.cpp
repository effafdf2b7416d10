#include "sim/analytic/heuristic_schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kNegligible =
    1e-20;  ///< share of a length behind which no further one is followed
constexpr double kOverflowGuard = 1e200;

void expect_below_one(double acceptance_rate) {
  expect_probability(acceptance_rate, "acceptance_rate");
  SPECLAB_EXPECT(acceptance_rate < 1.0,
                 "acceptance_rate = 1; allowed: below 1, or the length grows without bound");
}

/// π up to a factor: shares of the lengths 1, 2, ... until they are negligible beyond the balance.
std::vector<double> unnormalised_law(double acceptance_rate) {
  std::vector<double> shares{1.0};
  double total = 1.0;
  double rising_before = 0.0;            // of the length before the last
  double full_accept = acceptance_rate;  // of the last length
  while (3.0 * full_accept > 1.0 || shares.back() > kNegligible * total) {
    const double rising = shares.back() * full_accept;
    full_accept *= acceptance_rate;
    const auto length = static_cast<double>(shares.size() + 1);
    shares.push_back(
        (rising + rising_before) /
        -std::expm1(length * std::log(acceptance_rate)));  // 1 - α^length, without cancelling
    rising_before = rising;
    total += shares.back();
    if (total < kOverflowGuard) continue;
    for (double& share : shares) share /= total;
    rising_before /= total;
    total = std::accumulate(shares.begin(), shares.end(), 0.0);
  }
  return shares;
}

}  // namespace

std::vector<int> heuristic_speculation_length(std::span<const int> matches, int start) {
  expect_at_least(1, start, "start");
  std::vector<int> lengths{start};
  for (const int match : matches) {
    expect_at_least(0, match, "matches");
    lengths.push_back(match >= lengths.back() ? lengths.back() + 2
                                              : std::max(1, lengths.back() - 1));
  }
  return lengths;
}

double heuristic_balance_length(double acceptance_rate) {
  expect_below_one(acceptance_rate);
  return std::log(3.0) / -std::log(acceptance_rate);
}

double heuristic_tokens_per_round(double acceptance_rate) {
  return (1.0 - acceptance_rate / 3.0) * negligible_cost_speedup_limit(acceptance_rate);
}

HeuristicLongRun heuristic_long_run(double acceptance_rate) {
  expect_below_one(acceptance_rate);
  SPECLAB_EXPECT(
      acceptance_rate <= 0.99999,
      "acceptance_rate = " + std::to_string(acceptance_rate) + "; allowed: at most 0.99999");
  HeuristicLongRun run{.length_law = unnormalised_law(acceptance_rate),
                       .mean_speculation_length = 0.0,
                       .full_accept_probability = 0.0,
                       .tokens_per_round = 0.0};
  const double total = std::accumulate(run.length_law.begin(), run.length_law.end(), 0.0);
  double full_accept = 1.0;
  double tokens = 1.0;
  for (std::size_t i = 0; i < run.length_law.size(); ++i) {
    const double share = run.length_law[i] /= total;
    full_accept *= acceptance_rate;
    tokens += full_accept;
    run.mean_speculation_length += share * static_cast<double>(i + 1);
    run.full_accept_probability += share * full_accept;
    run.tokens_per_round += share * tokens;
  }
  return run;
}

double heuristic_predicted_speedup(double acceptance_rate, double cost_ratio) {
  expect_not_negative(cost_ratio, "cost_ratio");
  const HeuristicLongRun run = heuristic_long_run(acceptance_rate);
  return run.tokens_per_round / (1.0 + cost_ratio * run.mean_speculation_length);
}

}  // namespace speclab::sim
