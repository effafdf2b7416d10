// Lengths that follow what was accepted, and drafting beside verification.

#include <algorithm>

#include "sim/analytic/heuristic_schedule.h"
#include "sim/analytic/other_forms.h"
#include "tests/sim/agreement/twin.h"

namespace speclab::testing {
namespace {

using namespace sim;

/// Means over 100 rounds of the +2/-1 schedule, after 100 in which it forgets where it began.
struct PlayedSchedule {
  double tokens = 0.0, length = 0.0, full = 0.0;
};
PlayedSchedule schedule(Dice& dice, double alpha) {
  constexpr int kForgotten = 100, kRounds = 100;
  PlayedSchedule mean;
  int length = 5;
  for (int round = 0; round < kForgotten + kRounds; ++round) {
    const int accepted = accepted_run(dice, alpha, length);
    if (round >= kForgotten) {
      mean.tokens += (accepted + 1.0) / kRounds;
      mean.length += static_cast<double>(length) / kRounds;
      mean.full += (accepted == length ? 1.0 : 0.0) / kRounds;
    }
    length = accepted == length ? length + 2 : std::max(1, length - 1);
  }
  return mean;
}

Twin long_run(const char* name, double HeuristicLongRun::* closed,
              double PlayedSchedule::* played) {
  return {name, [=](Dice& dice) {
            const double alpha = dice.between(0.2, 0.9);
            return relative(heuristic_long_run(alpha).*closed,
                            [=](Dice& d) { return schedule(d, alpha).*played; });
          }};
}

Setting heuristic_speedup(Dice& dice) {
  const double alpha = dice.between(0.2, 0.9), c = dice.between(0.0, 0.3),
               speedup = heuristic_predicted_speedup(alpha, c);
  return {0.0, heuristic_long_run(alpha).tokens_per_round, [=](Dice& d) {
            const PlayedSchedule mean = schedule(d, alpha);
            return mean.tokens - speedup * (1.0 + c * mean.length);
          }};
}

ForwardTimes any_times(Dice& dice) { return {dice.between(0.05, 0.5), dice.between(0.5, 2.0)}; }

/// A token that was accepted waited for the draft only, any other and the last for the target.
Setting beside_verification(Dice& dice) {
  const double alpha = dice.between(0.2, 0.95);
  const int tokens = dice.integer(2, 40);
  const ForwardTimes times = any_times(dice);
  return relative(dsi_expected_latency(alpha, times, tokens), [=](Dice& d) {
    double latency = times.target_time;
    for (int i = 1; i < tokens; ++i)
      latency += d.coin(alpha) ? times.draft_time : times.target_time;
    return latency;
  });
}

Setting in_turn(Dice& dice) {
  const double alpha = dice.between(0.2, 0.95);
  const int tokens = dice.integer(2, 40), gamma = dice.integer(1, 8);
  const ForwardTimes times = any_times(dice);
  return relative(blocking_expected_latency(alpha, gamma, times, tokens), [=](Dice& d) {
    double latency = 0.0;
    for (int left = tokens; left > 0; left -= 1 + accepted_run(d, alpha, gamma))
      latency += gamma * times.draft_time + times.target_time;
    return latency;
  });
}

}  // namespace

std::vector<Twin> schedule_twins() {
  return {
      long_run("heuristic_tokens_per_round", &HeuristicLongRun::tokens_per_round,
               &PlayedSchedule::tokens),
      long_run("heuristic_mean_length", &HeuristicLongRun::mean_speculation_length,
               &PlayedSchedule::length),
      long_run("heuristic_full_accept", &HeuristicLongRun::full_accept_probability,
               &PlayedSchedule::full),
      {"heuristic_predicted_speedup", heuristic_speedup},
      {"dsi_expected_latency", beside_verification},
      {"blocking_expected_latency", in_turn},
  };
}

}  // namespace speclab::testing
