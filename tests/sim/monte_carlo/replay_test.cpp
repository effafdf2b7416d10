#include "sim/monte_carlo/round_trace.h"

#include <gtest/gtest.h>

#include "sim/monte_carlo/acceptance_process.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"
#include "tests/sim/monte_carlo/support/synthetic_log.h"

namespace speclab::sim {
namespace {

/// Rounds of chains by (depth, accepted), the last emitting `last_emitted` tokens.
LoggedGeneration log_of(const std::vector<std::pair<int, int>>& rounds, int last_emitted) {
  LoggedGeneration generation{.prompt = "p", .rounds = {}};
  for (const auto& [depth, accepted] : rounds) {
    RoundRecord round;
    round.round = static_cast<std::int32_t>(generation.rounds.size());
    round.depth = round.drafted = depth;
    round.accepted = accepted;
    round.emitted = accepted + 1;
    generation.rounds.push_back(round);
  }
  generation.rounds.back().emitted = last_emitted;
  return generation;
}

SimulatedGeneration replay(const std::vector<LoggedGeneration>& log, const char* policy,
                           std::vector<RoundRecord>& rounds) {
  ReplayProcess process(log);
  SimulationOptions options{.generations = static_cast<int>(log.size())};
  options.on_rounds = [&](std::uint32_t, std::span<const RoundRecord> piece) {
    rounds.insert(rounds.end(), piece.begin(), piece.end());
  };
  return simulate_generation(*make_policy(policy), process, {.new_tokens = 1'000'000}, nullptr,
                             options);
}

TEST(ReplayProcess, GivesBackTheLoggedRoundsUnderTheLoggedLengths) {
  TwoStateProcess text({.acceptance_rate = {0.95, 0.4}, .easy_to_hard = 0.2, .hard_to_easy = 0.2});
  for (const char* policy : {"constant:5", "heuristic", "none"}) {
    const auto log = testing::synthetic_log(*make_policy(policy), text,
                                            {.generations = 30, .new_tokens = 111, .seed = 8});
    std::vector<RoundRecord> rounds;
    const auto result = replay(log, policy, rounds);
    std::size_t at = 0;
    for (const LoggedGeneration& generation : log)
      for (const RoundRecord& logged : generation.rounds) {
        ASSERT_LT(at, rounds.size());
        const RoundRecord& round = rounds[at++];
        ASSERT_EQ(std::tuple(round.round, round.position, round.depth, round.accepted, round.tested,
                             round.emitted, round.next_kind),
                  std::tuple(logged.round, logged.position, logged.depth, logged.accepted,
                             logged.tested, logged.emitted, logged.next_kind));
      }
    EXPECT_EQ(at, rounds.size());
    EXPECT_EQ(result.totals.limited, 0);
  }
}

TEST(ReplayProcess, LaysOtherLengthsOverTheSameText) {
  // The text: + + - | + + + B | + - (accepted, rejected, bonus); lengths of 3.
  const std::vector<LoggedGeneration> log{log_of({{3, 2}, {3, 3}, {3, 1}}, 2)};
  std::vector<RoundRecord> rounds;
  const auto result = replay(log, "constant:1", rounds);
  std::vector<int> accepted;
  for (const RoundRecord& round : rounds) accepted.push_back(round.accepted);
  EXPECT_EQ(accepted, (std::vector<int>{1, 0, 1, 1, 1}));  // ++ - ++ +B +-
  EXPECT_EQ(result.totals.emitted, 9);
  EXPECT_EQ(result.totals.limited, 0);
}

TEST(ReplayProcess, SaysHowOftenTheLogHadNoAnswer) {
  const std::vector<LoggedGeneration> log{log_of({{3, 3}, {3, 0}}, 1)};
  std::vector<RoundRecord> rounds;
  const auto result = replay(log, "constant:2", rounds);
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds[0].accepted, 2);  // ++ and its third token as the bonus
  EXPECT_EQ(rounds[1].depth, 0);     // then the log's bonus, whose draft was never seen
  EXPECT_EQ(rounds[2].depth, 2);
  EXPECT_EQ(result.totals.limited, 1);
  std::vector<RoundRecord> longer;
  EXPECT_EQ(replay(log, "constant:9", longer).totals.limited, 1);
}

TEST(ReplayProcess, BeginsTheLogAgainWhenItIsThrough) {
  const std::vector<LoggedGeneration> log{log_of({{2, 1}}, 2), log_of({{2, 0}, {2, 2}}, 2)};
  ReplayProcess process(log);
  const auto result = simulate_generation(*make_policy("constant:2"), process, {.new_tokens = 50},
                                          nullptr, {.generations = 5});
  EXPECT_EQ(result.totals.rounds, 7);
  EXPECT_EQ(result.totals.emitted, 3 * 2 + 2 * 3);
}

TEST(ReplayProcess, RefusesLogsThatContradictThemselves) {
  const auto refused = [](auto change) {
    LoggedGeneration generation = log_of({{3, 2}, {3, 1}}, 2);
    change(generation);
    try {
      ReplayProcess process(std::vector{generation});
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_NE(refused([](auto& g) { g.rounds.clear(); }).find("no rounds"), std::string::npos);
  EXPECT_NE(refused([](auto& g) {
              g.rounds[1].drafted = 5;
            }).find("round 1: drafted 5 nodes on 3 levels; only chains"),
            std::string::npos);
  EXPECT_NE(refused([](auto& g) {
              g.rounds[0].accepted = 4;
            }).find("round 0: must hold: 0 <= accepted <= depth"),
            std::string::npos);
  EXPECT_NE(refused([](auto& g) { g.rounds[0].accepted = -1; }).find("must hold"),
            std::string::npos);
  EXPECT_NE(
      refused([](auto& g) { g.rounds[0].emitted = 2; }).find("emitted = 2; allowed: accepted + 1"),
      std::string::npos);
  EXPECT_NE(refused([](auto& g) { g.rounds[1].emitted = 0; }).find("emitted = 0"),
            std::string::npos);
}

}  // namespace
}  // namespace speclab::sim
