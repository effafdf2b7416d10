#include "sim/analytic/metrics.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(CrossTokenizer, TokensOfARoundAreOneAndWhatHitRoundsAccept) {
  for_random_values([](RandomValues& values) {
    const int rounds = values.integer(1, 200), hits = values.integer(1, rounds),
              accepted = hits + values.integer(0, 500);
    const RunCounts counts{rounds + accepted, rounds, accepted, hits};
    EXPECT_NEAR(tokens_per_round_measured(counts),
                1.0 + round_hit_rate(counts) * accepted_per_hit_round(counts), 1e-12);
    EXPECT_GE(accepted_per_hit_round(counts), 1.0);
    const double speedup = values.uniform(0.5, 3.0);
    EXPECT_NEAR(round_cost_from_speedup(tokens_per_round_measured(counts), speedup) * speedup,
                tokens_per_round_measured(counts), 1e-12);
  });
}

TEST(CrossTokenizer, OfARunWithoutHitsIsPlain) {
  const RunCounts plain{.generated_tokens = 50, .rounds = 50};
  EXPECT_EQ(tokens_per_round_measured(plain), 1.0);
  EXPECT_EQ(round_hit_rate(plain), 0.0);
  EXPECT_EQ(round_cost_from_speedup(1.0, 1.0), 1.0);
  EXPECT_EQ(tokens_per_round_measured(
                {.generated_tokens = 9, .rounds = 4, .accepted = 6, .hit_rounds = 3}),
            2.25)
      << "the last round was cut";
}

TEST(CrossTokenizer, RefusesCountsThatDoNotFitTogether) {
  const std::vector<RunCounts> broken{{10, 0, 0, 0},    {10, -1, 0, 0}, {10, 10, -1, 0},
                                      {20, 10, 10, 11}, {12, 10, 2, 3}, {11, 10, 1, 0},
                                      {9, 10, 0, 0},    {13, 10, 2, 1}, {10, 10, 0, -1}};
  for (const auto formula : {tokens_per_round_measured, round_hit_rate, accepted_per_hit_round})
    for (const RunCounts& counts : broken)
      EXPECT_THROW(formula(counts), ContractError)
          << counts.generated_tokens << " " << counts.rounds << " " << counts.accepted;
  EXPECT_THROW(accepted_per_hit_round({.generated_tokens = 5, .rounds = 5}), ContractError)
      << "no round hit";
  expect_refused([](double tokens) { round_cost_from_speedup(tokens, 1.0); },
                 {0.9, kNan, kInfinity});
  expect_refused([](double speedup) { round_cost_from_speedup(2.0, speedup); }, kNotPositive);
}

}  // namespace
}  // namespace speclab::sim
