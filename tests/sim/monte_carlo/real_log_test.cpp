// Replay and estimates on rounds that an engine logged: a frozen run of quickstart.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/tables/table.h"
#include "sim/monte_carlo/acceptance_estimates.h"
#include "sim/monte_carlo/process_fits.h"
#include "sim/monte_carlo/round_trace.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/simple_policies.h"

namespace speclab::sim {
namespace {

/// Generations of chain drafts, by row.
std::vector<LoggedGeneration> quickstart_log() {
  const auto table =
      analysis::Table::read(SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/rounds.csv");
  std::map<std::int64_t, LoggedGeneration> generations;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto field = [&](const char* column) {
      return static_cast<std::int32_t>(table.integer(row, column));
    };
    LoggedGeneration& generation = generations[table.integer(row, "row_id")];
    generation.prompt = std::to_string(table.integer(row, "row_id"));
    RoundRecord round{.round = field("round"),
                      .position = field("position"),
                      .drafted = field("drafted"),
                      .rows = field("rows"),
                      .depth = field("depth"),
                      .accepted = field("accepted"),
                      .tested = field("tested"),
                      .emitted = field("emitted")};
    round.next_kind =
        table.text(row, "next_kind") == "bonus" ? NextKind::bonus : NextKind::recovered;
    generation.rounds.push_back(round);
  }
  std::vector<LoggedGeneration> log;
  const auto is_chain = [](const RoundRecord& round) { return round.drafted == round.depth; };
  for (auto& [row_id, generation] : generations)
    if (std::ranges::all_of(generation.rounds, is_chain)) log.push_back(std::move(generation));
  return log;
}

TEST(RealLog, ComesBackFromAReplayRoundByRound) {
  const auto log = quickstart_log();
  ASSERT_GT(log.size(), 10U);
  ReplayProcess process(log);
  SimulationOptions options{.generations = static_cast<int>(log.size())};
  std::vector<std::size_t> at(log.size());
  options.on_rounds = [&](std::uint32_t sequence, std::span<const RoundRecord> rounds) {
    const std::int32_t prompt_tokens = log[sequence].rounds[0].position;
    for (const RoundRecord& round : rounds) {
      ASSERT_LT(at[sequence], log[sequence].rounds.size());
      const RoundRecord& logged = log[sequence].rounds[at[sequence]++];
      ASSERT_EQ(std::tuple(round.round, round.position + prompt_tokens, round.drafted, round.rows,
                           round.accepted, round.tested, round.emitted, round.next_kind),
                std::tuple(logged.round, logged.position, logged.drafted, logged.rows,
                           logged.accepted, logged.tested, logged.emitted, logged.next_kind));
    }
  };
  simulate_generation(ConstantPolicy(4095), process, {.new_tokens = 1'000'000}, nullptr, options);
  for (std::size_t sequence = 0; sequence < log.size(); ++sequence)
    EXPECT_EQ(at[sequence], log[sequence].rounds.size());
}

TEST(RealLog, BearsEstimatesAndFits) {
  const auto log = quickstart_log();
  double accepted = 0, tested = 0;
  for (const auto& generation : log)
    for (const RoundRecord& round : generation.rounds)
      accepted += round.accepted, tested += round.tested;
  const auto clusters = counts_by_prompt(log);
  const Estimate rate = acceptance_rate_estimate(clusters);
  EXPECT_DOUBLE_EQ(rate.value, accepted / tested);
  EXPECT_LT(rate.interval.value().low, rate.value);
  EXPECT_GT(rate.interval.value().high, rate.value);
  const auto fits = fit_processes(log, 4);
  ASSERT_EQ(fits.size(), 3U);
  EXPECT_LT(fits[1].akaike_criterion,
            fits[0].akaike_criterion);  // prompts and drafters of this run do differ
  for (const FittedProcess& fit : fits)
    EXPECT_TRUE(fit.tokens_per_round > 1.0 && fit.tokens_per_round < 5.0) << fit.process;
}

}  // namespace
}  // namespace speclab::sim
