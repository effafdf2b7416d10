#include "sim/analytic/sequence_times.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kNsPerSecond = 1e9;

}  // namespace

double LoopTimes::loop_ns(int speculation_length) const {
  expect_not_negative(draft_ns, "draft_ns");
  expect_positive(target_ns, "target_ns");
  expect_at_least(0, speculation_length, "speculation_length");
  return speculation_length * draft_ns + target_ns;
}

std::vector<double> rounds_law(std::span<const double> pmf, int tokens) {
  expect_law(pmf, "pmf");
  expect_at_least(0, tokens, "tokens");
  const auto wanted = static_cast<std::size_t>(tokens);
  std::vector<double> law(wanted + 1, 0.0),
      missing(wanted + 1, 0.0);  // missing[n] = P(n tokens are still to come)
  missing[wanted] = 1.0;
  for (std::size_t round = 0; round <= wanted; ++round) {
    law[round] = missing[0];
    std::vector<double> next(wanted + 1, 0.0);
    for (std::size_t left = 1; left <= wanted; ++left)
      for (std::size_t t = 0; t < pmf.size() && missing[left] > 0.0; ++t)
        next[left > t + 1 ? left - t - 1 : 0] += missing[left] * pmf[t];
    missing = std::move(next);
  }
  return law;
}

int rounds_quantile(std::span<const double> law, double level) {
  expect_law(law, "rounds_law");
  SPECLAB_EXPECT(level > 0.0 && level <= 1.0,
                 "level = " + std::to_string(level) + "; allowed: above 0, at most 1");
  constexpr double kRounding = 1e-12;
  double reached = 0.0;
  int rounds = 0;
  for (const double chance : law) {
    reached += chance;
    if (reached >= level - kRounding) return rounds;
    ++rounds;
  }
  return rounds - 1;
}

SequenceTime sequence_time(double acceptance_rate, int speculation_length, const LoopTimes& times,
                           int tokens) {
  expect_at_least(1, tokens, "tokens");
  const std::vector<double> pmf = tokens_per_round_pmf(acceptance_rate, speculation_length);
  const double mean = expected_rounds(pmf, tokens), loop_ns = times.loop_ns(speculation_length);
  double variance = 0.0, rounds = 0.0;
  for (const double chance : rounds_law(pmf, tokens)) {
    variance += chance * (rounds - mean) * (rounds - mean);
    rounds += 1.0;
  }
  return {.mean_ns = mean * loop_ns, .deviation_ns = std::sqrt(variance) * loop_ns};
}

SequenceSpeeds sequence_speeds(double acceptance_rate, int speculation_length,
                               const LoopTimes& times, int tokens) {
  expect_at_least(1, tokens, "tokens");
  const std::vector<double> pmf = tokens_per_round_pmf(acceptance_rate, speculation_length);
  const std::vector<double> law = rounds_law(pmf, tokens);
  const double tokens_per_s_of_one_round =
      tokens * kNsPerSecond / times.loop_ns(speculation_length);
  const auto percentile = [&](double level) {
    return tokens_per_s_of_one_round / rounds_quantile(law, level);
  };
  return {.mean_tokens_per_s = tokens_per_s_of_one_round / expected_rounds(pmf, tokens),
          .p50_tokens_per_s = percentile(0.5),
          .p90_tokens_per_s = percentile(0.9),
          .p99_tokens_per_s = percentile(0.99)};
}

}  // namespace speclab::sim
