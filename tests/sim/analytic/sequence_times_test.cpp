#include "sim/analytic/generation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(LoopTime, IsThatOfThePaper) {
  const LoopTimes chinchilla{.draft_ns = 1.8e6, .target_ns = 14.1e6};
  EXPECT_NEAR(chinchilla.loop_ns(4), 21.3e6, 1e-6);
  EXPECT_EQ(chinchilla.loop_ns(0), 14.1e6);
}

TEST(RoundsLaw, IsALawWithTheExpectedRoundsAsItsMean) {
  for_random_values([](RandomValues& values) {
    const auto pmf = tokens_per_round_pmf(values.uniform(), values.integer(0, 8));
    const int tokens = values.integer(0, 60);
    const auto law = rounds_law(pmf, tokens);
    EXPECT_EQ(law.size(), static_cast<std::size_t>(tokens) + 1);
    EXPECT_NEAR(std::accumulate(law.begin(), law.end(), 0.0), 1.0, 1e-12);
    double mean = 0.0;
    for (std::size_t rounds = 0; rounds < law.size(); ++rounds)
      mean += static_cast<double>(rounds) * law[rounds];
    EXPECT_NEAR(mean, expected_rounds(pmf, tokens), 1e-11);
  });
}

TEST(RoundsLaw, IsCertainWhereEveryRoundIsAlike) {
  EXPECT_EQ(rounds_law(std::vector<double>{1.0}, 5)[5], 1.0);
  EXPECT_EQ(rounds_law(std::vector<double>{0.0, 0.0, 1.0}, 7)[3], 1.0) << "the third round is cut";
  EXPECT_EQ(rounds_law(std::vector<double>{0.5, 0.5}, 0)[0], 1.0);
}

TEST(RoundsQuantile, IsTheFewestRoundsThatTheShareDoesNotExceed) {
  const std::vector<double> law{0.0, 0.5, 0.3, 0.2};
  EXPECT_EQ(rounds_quantile(law, 0.5), 1);
  EXPECT_EQ(rounds_quantile(law, 0.500001), 2);
  EXPECT_EQ(rounds_quantile(law, 0.8), 2);
  EXPECT_EQ(rounds_quantile(law, 1.0), 3);
}

TEST(SequenceTime, HasTheKnownSpreadOfFewRounds) {
  const LoopTimes times{.draft_ns = 1.0, .target_ns = 8.0};
  const SequenceTime two = sequence_time(0.5, 1, times, 2);  // one round or two, each as likely
  EXPECT_DOUBLE_EQ(two.mean_ns, 1.5 * 9.0);
  EXPECT_DOUBLE_EQ(two.deviation_ns, 0.5 * 9.0);
  const SequenceTime three =
      sequence_time(0.75, 2, times, 3);  // 1, 2, 3 rounds with chances 36, 24, 4 of 64
  EXPECT_DOUBLE_EQ(three.mean_ns, 1.5 * 10.0);
  EXPECT_DOUBLE_EQ(three.deviation_ns, std::sqrt(3.0 / 8.0) * 10.0);
}

TEST(SequenceTime, HasNoSpreadWhereNothingIsLeftToChance) {
  const LoopTimes times{.draft_ns = 1.8e6, .target_ns = 14.1e6};
  for (const auto& [rate, length] : {std::pair{0.7, 0}, {0.0, 4}, {1.0, 4}}) {
    const SequenceTime time = sequence_time(rate, length, times, 128);
    EXPECT_NEAR(time.deviation_ns, 0.0, 1e-3) << rate << " " << length;
    EXPECT_NEAR(time.mean_ns, (rate == 1.0 ? 26 : 128) * times.loop_ns(length), 1e-3);
  }
}

TEST(SequenceTime, IsThatOfTheLawOfItsRoundsAndGrowsWithTheLoop) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(0, 8), tokens = values.integer(1, 60);
    const auto law = rounds_law(tokens_per_round_pmf(rate, length), tokens);
    double mean = 0.0, square = 0.0;
    for (std::size_t rounds = 0; rounds < law.size(); ++rounds) {
      mean += static_cast<double>(rounds) * law[rounds];
      square += static_cast<double>(rounds * rounds) * law[rounds];
    }
    const SequenceTime time =
        sequence_time(rate, length, {.draft_ns = 0.0, .target_ns = 2.0}, tokens);
    EXPECT_NEAR(time.mean_ns, 2.0 * mean, 1e-10);
    EXPECT_NEAR(time.deviation_ns * time.deviation_ns, 4.0 * (square - mean * mean), 1e-9);
  });
}

TEST(SequenceSpeeds, FallWithThePercentileAndAgreeWhereNothingVaries) {
  const LoopTimes times{.draft_ns = 1.8e6, .target_ns = 14.1e6};
  for_random_values([&](RandomValues& values) {
    const SequenceSpeeds speeds = sequence_speeds(values.uniform(0.05, 0.95), values.integer(1, 8),
                                                  times, values.integer(20, 128));
    EXPECT_GE(speeds.p50_tokens_per_s, speeds.p90_tokens_per_s);
    EXPECT_GE(speeds.p90_tokens_per_s, speeds.p99_tokens_per_s);
    EXPECT_GT(speeds.mean_tokens_per_s, speeds.p99_tokens_per_s);
  });
  const SequenceSpeeds plain = sequence_speeds(0.7, 0, times, 128);
  EXPECT_NEAR(plain.p99_tokens_per_s, 1e9 / 14.1e6, 1e-10);
  EXPECT_NEAR(plain.mean_tokens_per_s, plain.p99_tokens_per_s, 1e-10);
  EXPECT_NEAR(sequence_speeds(1.0, 3, times, 128).p50_tokens_per_s, 4e9 / times.loop_ns(3), 1e-9);
  EXPECT_NEAR(sequence_speeds(0.0, 3, times, 128).p50_tokens_per_s, 1e9 / times.loop_ns(3), 1e-9);
}

/// What Chen et al. say of percentiles: a longer draft makes sequences differ more, so that p99
/// wants a shorter one than the mean.
TEST(SequenceSpeeds, DifferMoreTheLongerTheDraft) {
  const LoopTimes times{.draft_ns = 1.8e6, .target_ns = 14.1e6};
  const auto spread = [&](int length) {
    const SequenceSpeeds speeds = sequence_speeds(0.68, length, times, 128);
    return speeds.mean_tokens_per_s / speeds.p99_tokens_per_s;
  };
  EXPECT_LT(spread(1), spread(3));
  EXPECT_LT(spread(3), spread(7));
}

TEST(SequenceTimes, RefuseArgumentsOutOfRange) {
  const LoopTimes times{.draft_ns = 1.0, .target_ns = 10.0};
  const std::vector<double> law{0.5, 0.5};
  expect_refused([](double draft) { LoopTimes{.draft_ns = draft, .target_ns = 1.0}.loop_ns(2); },
                 kNegative);
  expect_refused([](double target) { LoopTimes{.draft_ns = 1.0, .target_ns = target}.loop_ns(2); },
                 kNotPositive);
  EXPECT_THROW(times.loop_ns(-1), ContractError);
  expect_refused([](const auto& pmf) { rounds_law(pmf, 5); }, kNoLaw);
  EXPECT_THROW(rounds_law(law, -1), ContractError);
  expect_refused([](const auto& broken) { rounds_quantile(broken, 0.5); }, kNoLaw);
  expect_refused([&](double level) { rounds_quantile(law, level); }, {0.0, -0.1, 1.1, kNan});
  expect_refused([&](double rate) { sequence_speeds(rate, 2, times, 5); }, kNoProbability);
  expect_refused([&](double rate) { sequence_time(rate, 2, times, 5); }, kNoProbability);
  EXPECT_THROW(sequence_time(0.5, -1, times, 5), ContractError);
  expect_refused([&](int tokens) { sequence_time(0.5, 2, times, tokens); }, {0, -1});
  EXPECT_THROW(sequence_speeds(0.5, -1, times, 5), ContractError);
  expect_refused([&](int tokens) { sequence_speeds(0.5, 2, times, tokens); }, {0, -1});
}

}  // namespace
}  // namespace speclab::sim
