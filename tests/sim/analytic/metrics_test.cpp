#include "sim/analytic/metrics.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

constexpr RoundQuantity kAll[]{RoundQuantity::tokens_per_round, RoundQuantity::accepted_per_round,
                               RoundQuantity::accepted_fraction, RoundQuantity::acceptance_rate,
                               RoundQuantity::round_hit_rate};

TEST(Speedup, IsARatioOfTotalsWhichLongPromptsDecide) {
  EXPECT_EQ(speedup({10.0, 100.0}, {5.0, 100.0}), 2.0);
  EXPECT_EQ(speedup({10.0, 100.0}, {5.0, 50.0}), 1.0)
      << "half the tokens in half the time is no speed-up";
  // A short prompt at 4x and a long one at 1x: the mean of ratios says 2.5.
  EXPECT_NEAR(speedup({1.0 + 99.0, 1.0 + 99.0}, {0.25 + 99.0, 1.0 + 99.0}), 100.0 / 99.25, 1e-14);
  for_random_values([](RandomValues& values) {
    const RunTotals a{values.uniform(0.1, 9.0), values.uniform(1.0, 99.0)},
        b{values.uniform(0.1, 9.0), values.uniform(1.0, 99.0)};
    EXPECT_NEAR(speedup(a, b) * speedup(b, a), 1.0, 1e-13);
  });
}

TEST(RoundQuantities, ConvertThereAndBack) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const int length = values.integer(1, 12);
    const double tokens = tokens_per_round(rate, length);
    for (const RoundQuantity from : kAll)
      for (const RoundQuantity to : kAll) {
        const double value =
            convert_round_quantity(tokens, RoundQuantity::tokens_per_round, from, length);
        const double there = convert_round_quantity(value, from, to, length);
        EXPECT_NEAR(there,
                    convert_round_quantity(tokens, RoundQuantity::tokens_per_round, to, length),
                    1e-9)
            << to_string(from) << " to " << to_string(to);
      }
  });
}

TEST(RoundQuantities, AreWhatTheirNamesSay) {
  constexpr auto kTokens = RoundQuantity::tokens_per_round;
  EXPECT_EQ(convert_round_quantity(2.25, kTokens, RoundQuantity::accepted_per_round, 3), 1.25);
  EXPECT_NEAR(convert_round_quantity(2.25, kTokens, RoundQuantity::accepted_fraction, 3),
              1.25 / 3.0, 1e-15);
  EXPECT_NEAR(convert_round_quantity(3.68928, kTokens, RoundQuantity::acceptance_rate, 5), 0.8,
              1e-12);
  EXPECT_NEAR(convert_round_quantity(0.8, RoundQuantity::round_hit_rate, kTokens, 5), 3.68928,
              1e-12)
      << "the first draft stands with α";
  EXPECT_EQ(convert_round_quantity(0.0, RoundQuantity::accepted_fraction, kTokens, 5), 1.0);
  EXPECT_EQ(convert_round_quantity(1.0, RoundQuantity::accepted_fraction, kTokens, 5), 6.0);
}

TEST(RoundQuantities, SayWhichConversionsAssumeIndependence) {
  EXPECT_FALSE(
      assumes_independence(RoundQuantity::accepted_fraction, RoundQuantity::tokens_per_round));
  EXPECT_TRUE(
      assumes_independence(RoundQuantity::accepted_fraction, RoundQuantity::acceptance_rate));
  EXPECT_TRUE(assumes_independence(RoundQuantity::acceptance_rate, RoundQuantity::round_hit_rate));
  EXPECT_FALSE(
      assumes_independence(RoundQuantity::acceptance_rate, RoundQuantity::acceptance_rate));
}

TEST(AcceptedFraction, CountsTheNodesOfATree) {
  EXPECT_EQ(accepted_fraction_from_tokens_per_round(3.0, 8), 0.25);
  EXPECT_EQ(accepted_fraction_from_tokens_per_round(1.0, 8), 0.0);
}

TEST(Metrics, RefuseArgumentsOutOfRange) {
  expect_refused([](double seconds) { speedup({seconds, 1.0}, {1.0, 1.0}); }, kNotPositive);
  expect_refused([](double tokens) { speedup({1.0, tokens}, {1.0, 1.0}); }, kNotPositive);
  expect_refused([](double seconds) { speedup({1.0, 1.0}, {seconds, 1.0}); }, kNotPositive);
  expect_refused([](double tokens) { speedup({1.0, 1.0}, {1.0, tokens}); }, kNotPositive);
  expect_refused([](double tokens) { accepted_fraction_from_tokens_per_round(tokens, 3); },
                 {0.9, 4.1, kNan});
  expect_refused([](int drafted) { accepted_fraction_from_tokens_per_round(1.0, drafted); },
                 {0, -1});
  for (const RoundQuantity from : kAll) {
    expect_refused(
        [&](double value) {
          convert_round_quantity(value, from, RoundQuantity::tokens_per_round, 3);
        },
        {-0.5, 4.5, kNan, kInfinity});
    EXPECT_THROW(convert_round_quantity(1.0, from, RoundQuantity::tokens_per_round, 0),
                 ContractError);
  }
}

}  // namespace
}  // namespace speclab::sim
