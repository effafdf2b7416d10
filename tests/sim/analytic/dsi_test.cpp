#include "sim/analytic/other_forms.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

TEST(DsiLatency, GoesFromTheTargetsTimeToTheDraftsAsAcceptanceRises) {
  const ForwardTimes times{.draft_time = 0.1, .target_time = 1.0};
  EXPECT_EQ(dsi_expected_latency(0.0, times, 50), 50.0);
  EXPECT_NEAR(dsi_expected_latency(1.0, times, 50), 49 * 0.1 + 1.0, 1e-13);
  EXPECT_EQ(dsi_expected_latency(0.7, times, 1), 1.0) << "one token is the target's";
}

/// Never slower than plain decoding, whatever is accepted: what sets it apart from drafting and
/// verifying in turn.
TEST(DsiLatency, IsNeverAbovePlainDecodingNorAboveBlockingSpeculation) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform();
    const ForwardTimes times{.draft_time = values.uniform(0.01, 1.0), .target_time = 1.0};
    const int tokens = values.integer(1, 100), length = values.integer(0, 8);
    const double dsi = dsi_expected_latency(rate, times, tokens);
    EXPECT_LE(dsi, tokens * times.target_time + 1e-12);
    EXPECT_LE(dsi, blocking_expected_latency(rate, length, times, tokens) + 1e-9);
  });
}

TEST(BlockingLatency, IsPlainDecodingWithoutADraftAndCountsWholeRounds) {
  const ForwardTimes times{.draft_time = 0.1, .target_time = 1.0};
  EXPECT_NEAR(blocking_expected_latency(0.8, 0, times, 20), 20.0, 1e-12);
  EXPECT_NEAR(blocking_expected_latency(1.0, 4, times, 10), 2 * 1.4, 1e-12);
  EXPECT_NEAR(blocking_expected_latency(0.0, 4, times, 10), 10 * 1.4, 1e-12);
}

TEST(DsiServers, KeepUpWithTheDraft) {
  for_random_values([](RandomValues& values) {
    const ForwardTimes times{.draft_time = values.uniform(0.01, 1.0), .target_time = 1.0};
    const int lookahead = values.integer(1, 10);
    const int servers = dsi_target_servers(times, lookahead);
    EXPECT_GE(servers * lookahead * times.draft_time, times.target_time - 1e-9);
    EXPECT_LT((servers - 1) * lookahead * times.draft_time, times.target_time + 1e-9);
  });
  EXPECT_EQ(dsi_target_servers({.draft_time = 0.1, .target_time = 1.1}, 1), 11)
      << "1.1 / 0.1 is above 11 in binary";
  EXPECT_EQ(dsi_target_servers({.draft_time = 1.0, .target_time = 1.0}, 9), 1);
}

TEST(Dsi, RefusesArgumentsOutOfRange) {
  const ForwardTimes times{.draft_time = 0.1, .target_time = 1.0};
  expect_refused([&](double rate) { dsi_expected_latency(rate, times, 5); }, kNoProbability);
  expect_refused([&](double rate) { blocking_expected_latency(rate, 2, times, 5); },
                 kNoProbability);
  for (const double draft : {0.0, -1.0, 2.0, kNan}) {
    EXPECT_THROW(dsi_expected_latency(0.5, {draft, 1.0}, 5), ContractError);
    EXPECT_THROW(blocking_expected_latency(0.5, 2, {draft, 1.0}, 5), ContractError);
    EXPECT_THROW(dsi_target_servers({draft, 1.0}, 1), ContractError);
  }
  expect_refused([](double target) { dsi_target_servers({0.1, target}, 1); }, kNotPositive);
  expect_refused([&](int tokens) { dsi_expected_latency(0.5, times, tokens); }, {0, -1});
  expect_refused([&](int tokens) { blocking_expected_latency(0.5, 2, times, tokens); }, {0, -1});
  EXPECT_THROW(blocking_expected_latency(0.5, -1, times, 5), ContractError);
  expect_refused([&](int lookahead) { dsi_target_servers(times, lookahead); }, {0, -1});
  EXPECT_THROW(dsi_target_servers({1e-12, 1.0}, 1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
