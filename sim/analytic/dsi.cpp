#include "sim/analytic/dsi.h"

#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kRounding = 1e-12;
constexpr double kMostServers = 1e9;

}  // namespace

void ForwardTimes::expect_valid() const {
  expect_positive(draft_time, "draft_time");
  expect_positive(target_time, "target_time");
  SPECLAB_EXPECT(draft_time <= target_time, "draft_time = " + std::to_string(draft_time) +
                                                "; allowed: at most target_time, " +
                                                std::to_string(target_time));
}

double dsi_expected_latency(double acceptance_rate, const ForwardTimes& times, int tokens) {
  expect_probability(acceptance_rate, "acceptance_rate");
  times.expect_valid();
  expect_at_least(1, tokens, "tokens");
  const double before_last = tokens - 1.0;
  return times.draft_time * acceptance_rate * before_last +
         times.target_time * ((1.0 - acceptance_rate) * before_last + 1.0);
}

double blocking_expected_latency(double acceptance_rate, int speculation_length,
                                 const ForwardTimes& times, int tokens) {
  times.expect_valid();
  expect_at_least(1, tokens, "tokens");
  const double rounds =
      expected_rounds(tokens_per_round_pmf(acceptance_rate, speculation_length), tokens);
  return rounds * (speculation_length * times.draft_time + times.target_time);
}

int dsi_target_servers(const ForwardTimes& times, int lookahead) {
  times.expect_valid();
  expect_at_least(1, lookahead, "lookahead");
  const double servers =
      std::ceil(times.target_time / (lookahead * times.draft_time) * (1.0 - kRounding));
  SPECLAB_EXPECT(servers <= kMostServers,
                 std::to_string(servers) + " servers; allowed: at most 1e9");
  return static_cast<int>(servers);
}

}  // namespace speclab::sim
