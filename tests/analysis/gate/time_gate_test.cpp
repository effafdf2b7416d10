#include "analysis/gate/time_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

using enum GateVerdict;

/// Pairs whose ratio is exp(shift) times exp(noise * (-1, ..., 1)), in an order that no index
/// foretells.
TimedBenchmark spread_pairs(const std::string& name, int pairs, double shift, double noise) {
  TimedBenchmark benchmark{name, {}};
  for (int i = 0; i < pairs; ++i) {
    const double at = pairs == 1 ? 0.0 : 2.0 * ((7 * i) % pairs) / (pairs - 1.0) - 1.0;
    benchmark.pairs.push_back({1000.0 + i, (1000.0 + i) * std::exp(shift + noise * at)});
  }
  return benchmark;
}

/// `slower` pairs of ratio 1.1, the rest of ratio 0.999.
TimedBenchmark counted_pairs(int slower, int pairs) {
  TimedBenchmark benchmark{"a", {}};
  for (int i = 0; i < pairs; ++i) benchmark.pairs.push_back({1000.0, i < slower ? 1100.0 : 999.0});
  return benchmark;
}

GateVerdict verdict_of(const TimedBenchmark& benchmark, const PairGateOptions& options = {}) {
  return judge_pairs(std::span(&benchmark, 1), options).front().verdict;
}

TEST(PairGate, TellsSlowFastAndSame) {
  EXPECT_EQ(verdict_of(spread_pairs("a", 20, 0.05, 0.01)), slow);
  EXPECT_EQ(verdict_of(spread_pairs("a", 20, -0.05, 0.01)), fast);
  EXPECT_EQ(verdict_of(spread_pairs("a", 20, 0.0, 0.01)), same);
  EXPECT_EQ(verdict_of(spread_pairs("a", 20, 0.015, 0.005)), same)
      << "every pair slower, and less than what counts";
}

/// Of one benchmark, at 0.8 %: 16 of 20 pairs have a chance of 0.0059, 15 of 0.0207.
TEST(PairGate, ChangesItsMindAtTheCountThatChanceAllows) {
  EXPECT_EQ(verdict_of(counted_pairs(16, 20)), slow);
  EXPECT_EQ(verdict_of(counted_pairs(15, 20)), ambiguous);
}

/// 18 of 20 have a chance of 2.012e-4: 0.8 % serves 39 benchmarks, not 40.
TEST(PairGate, AsksForMoreTheLargerTheSuite) {
  for (const auto& [num_benchmarks, expected] : {std::pair(39, slow), std::pair(40, ambiguous)}) {
    std::vector<TimedBenchmark> suite{counted_pairs(18, 20)};
    while (static_cast<int>(suite.size()) < num_benchmarks)
      suite.push_back(spread_pairs("quiet", 20, 0.0, 0.01));
    EXPECT_EQ(judge_pairs(suite, {}).front().verdict, expected) << num_benchmarks;
  }
}

TEST(PairGate, RaisesTheFloorWithTheSpread) {
  const TimedBenchmark noisy = spread_pairs("a", 20, 0.05, 0.3);
  const auto row = judge_pairs(std::span(&noisy, 1), {}).front();
  EXPECT_GT(row.floor_ratio, 1.05);
  EXPECT_EQ(row.verdict, same);
}

/// 15 of the first 20 are slower, then 20 of 20: 35 of 40, whose chance of 7e-7 is below the 0.2 %
/// that is left.
TEST(PairGate, LooksAgainAtWhatWasAmbiguousAndExtended) {
  TimedBenchmark benchmark = counted_pairs(15, 20);
  for (int i = 0; i < 20; ++i) benchmark.pairs.push_back({1000.0, 1100.0});
  const auto row = judge_pairs(std::span(&benchmark, 1), {}).front();
  EXPECT_EQ(row.verdict, slow);
  EXPECT_EQ(row.pairs, 40);
  EXPECT_EQ(row.slower, 35);
}

TEST(PairGate, StaysAmbiguousAfterTheSecondLook) {
  TimedBenchmark benchmark = counted_pairs(13, 20);
  for (int i = 0; i < 20; ++i) benchmark.pairs.push_back({1000.0, i < 13 ? 1100.0 : 999.0});
  EXPECT_EQ(verdict_of(benchmark), ambiguous);
}

/// What was clear after the first look is not judged by what came later.
TEST(PairGate, DoesNotLookAgainAtWhatWasClear) {
  TimedBenchmark benchmark = spread_pairs("a", 20, 0.0, 0.01);
  for (int i = 0; i < 20; ++i) benchmark.pairs.push_back({1000.0, 2000.0});
  const auto row = judge_pairs(std::span(&benchmark, 1), {}).front();
  EXPECT_EQ(row.verdict, same);
  EXPECT_EQ(row.pairs, 20);
}

TEST(PairGate, RefusesWhatCannotShowAnything) {
  EXPECT_EQ(least_pairs(1, {}), 7);
  EXPECT_EQ(least_pairs(39, {}), 13);
  EXPECT_THROW(verdict_of(spread_pairs("a", 6, 0.1, 0.01), {.pairs = 6}), DataError);
  EXPECT_THROW(verdict_of(spread_pairs("a", 19, 0.1, 0.01)), DataError);
  EXPECT_THROW(verdict_of({"a", std::vector<TimePair>(20, {0.0, 1.0})}), ContractError);
}

/// Normal log-ratios without a difference: of 2,000 suites of 20 benchmarks the share called SLOW
/// is at most alpha. If the chance were alpha, 1 %, more than 34 of 2,000 would be found in 1 of
/// 1,000 seeds (binomial); the true chance is lower, for a floor must be exceeded too.
TEST(PairGate, CallsFewSuitesSlowThatAreNot) {
  const RngStream stream(11);
  int alarms = 0;
  for (std::uint32_t trial = 0; trial < 2000; ++trial) {
    std::vector<TimedBenchmark> suite(20);
    for (std::uint32_t b = 0; b < 20; ++b)
      for (std::uint32_t i = 0; i < 40; ++i) {
        const double u = stream.uniform({trial, i, Purpose::weights, 2 * b}),
                     v = stream.uniform({trial, i, Purpose::weights, 2 * b + 1});
        suite[b].pairs.push_back(
            {1000.0, 1000.0 * std::exp(0.05 * std::sqrt(-2.0 * std::log(1.0 - u)) *
                                       std::cos(6.283185307179586 * v))});
      }
    const auto rows = judge_pairs(suite, {});
    alarms += std::ranges::any_of(rows, [](const PairGateRow& row) { return row.verdict == slow; });
  }
  EXPECT_LE(alarms, 34);
}

}  // namespace
}  // namespace speclab::analysis
