#include "analysis/gate/time_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/rng_stream.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Pairs of a build with itself whose log-ratios are normal with that deviation.
std::vector<BenchPairRow> quiet_pairs(int pairs, int benchmarks, double deviation) {
  const RngStream stream(5);
  std::vector<BenchPairRow> rows;
  for (int i = 0; i < pairs; ++i)
    for (int b = 0; b < benchmarks; ++b) {
      const auto u = [&](std::uint32_t draw) {
        return stream.uniform(
            {static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(i), Purpose::weights, draw});
      };
      const double normal =
          std::sqrt(-2.0 * std::log(1.0 - u(0))) * std::cos(6.283185307179586 * u(1));
      rows.push_back({.benchmark = "f/" + std::to_string(b),
                      .pair = i,
                      .base_ns = 1000.0,
                      .head_ns = 1000.0 * std::exp(deviation * normal),
                      .base_wall_ns = 1,
                      .head_wall_ns = 1});
    }
  return rows;
}

/// A floor of 2 % and pairs that hardly spread: what is above is always found, what is below never.
TEST(GatePower, IsAStepWherePairsHardlySpread) {
  const GatePower power =
      gate_power(quiet_pairs(100, 5, 1e-4), {.gates = 50, .slowdowns = {0.0, 0.015, 0.025}});
  EXPECT_EQ(power.pairs, 100u);
  EXPECT_EQ(power.benchmarks, 5u);
  EXPECT_EQ(power.alarms, 0.0);
  EXPECT_EQ(power.rows[0].caught_mean, 0.0);
  EXPECT_EQ(power.rows[1].caught_mean, 0.0);
  EXPECT_NEAR(power.rows[2].caught_mean, 1.0, 1e-9);
  EXPECT_DOUBLE_EQ(power.each_caught_with_90_percent, 0.025);
}

/// With a deviation of 4 % a pair with +3 % is slower with probability 0.773 (normal law); a gate
/// of one benchmark needs 16 of 20 at 0.8 %, which has probability 0.49 (binomial), and a median
/// above a floor that is near the shift itself. So it is caught at times and not always, and +20 %
/// always.
TEST(GatePower, FallsWithTheSpread) {
  const GatePower power =
      gate_power(quiet_pairs(400, 1, 0.04), {.gates = 400, .slowdowns = {0.03, 0.2}});
  EXPECT_GT(power.rows[0].caught_mean, 0.02);
  EXPECT_LT(power.rows[0].caught_mean, 0.8);
  EXPECT_GT(power.rows[1].caught_least, 0.99);
  EXPECT_GT(power.each_caught_with_90_percent, 0.03);
}

TEST(GatePower, IsTheSameForTheSameSeed) {
  const auto rows = quiet_pairs(80, 2, 0.03);
  const auto caught = [&](std::uint64_t seed) {
    return gate_power(rows, {.gates = 200, .slowdowns = {0.04}, .seed = seed}).rows[0].caught_mean;
  };
  EXPECT_EQ(caught(1), caught(1));
  EXPECT_NE(caught(1), caught(2));
}

TEST(GatePower, RefusesFewerPairsThanTwoLooks) {
  EXPECT_THROW(gate_power(quiet_pairs(39, 2, 0.01), {}), DataError);
  EXPECT_THROW(gate_power({}, {}), DataError);
  auto rows = quiet_pairs(40, 2, 0.01);
  rows.pop_back();
  EXPECT_THROW(gate_power(rows, {}), DataError);
}

}  // namespace
}  // namespace speclab::analysis
