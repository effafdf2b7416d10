#include "analysis/stats/process_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace speclab::analysis {
namespace {

constexpr int kLength = 4;

/// Whether the draft for the next token of the text would be accepted.
struct Text {
  std::mt19937_64 random;
  bool has_places = false;  ///< easy and hard ones; else one rate
  bool easy = true;

  bool next() {
    const auto happens = [&](double chance) { return std::bernoulli_distribution(chance)(random); };
    if (!has_places) return happens(0.6);
    if (happens(easy ? 0.1 : 0.2)) easy = !easy;
    return happens(easy ? 0.95 : 0.15);
  }
};

/// A generation of `rounds` chains over a text. Rejected tokens are part of it, as are bonus
/// tokens, whose drafts nobody asked for.
void add_generation(analysis::Run& run, Text& text, const std::string& prompt, int rounds) {
  Generation g;
  g.row_id = static_cast<std::int64_t>(run.generations.size());
  g.prompt_id = prompt;
  g.axes = {.model = "base",
            .drafter = "made_up",
            .tree = "chain",
            .policy = "constant:4",
            .verifier = "rejection"};
  g.rounds = rounds;
  g.first_round = run.rounds.size();
  for (int i = 0; i < rounds; ++i) {
    int accepted = 0;
    while (accepted < kLength && text.next()) ++accepted;
    if (accepted == kLength) text.next();
    run.rounds.push_back({.row_id = g.row_id,
                          .position = 1,
                          .rows = kLength + 1,
                          .depth = kLength,
                          .accepted = accepted,
                          .drafted = kLength,
                          .tested = std::min(kLength, accepted + 1),
                          .emitted = accepted + 1});
  }
  run.generations.push_back(g);
}

analysis::Run made_up_run(bool has_places, int prompts = 20) {
  analysis::Run run;
  for (int prompt = 0; prompt < prompts; ++prompt) {
    Text text{.random = std::mt19937_64(static_cast<std::uint64_t>(prompt) + 1),
              .has_places = has_places};
    text.easy =
        prompt % 10 < 3;  // then 0.41 of the first places are easy, as many as in the long run
    add_generation(run, text, "prompt_" + std::to_string(prompt), 200);
  }
  return run;
}

Generations all_of(const analysis::Run& run) {
  Generations generations;
  for (const Generation& g : run.generations) generations.push_back(&g);
  return generations;
}

FittedAcceptance fit_of(const ProcessTable& table, const std::string& process) {
  const auto found = std::ranges::find(table.fits, process, &FittedAcceptance::process);
  if (found == table.fits.end()) throw std::runtime_error("no fit of " + process);
  return *found;
}

bool contains_zero(const Estimate& estimate) {
  return estimate.interval.value().low <= 0 && estimate.interval.value().high >= 0;
}

TEST(ProcessTable, FindsThatOneRateTellsRoundsOfOneRate) {
  const auto run = made_up_run(false);
  const ProcessTable table = process_table(all_of(run), run).value();
  EXPECT_EQ(table.speculation_length, kLength);
  EXPECT_TRUE(contains_zero(fit_of(table, "iid").misfit));
  // 1 + 0.6 + 0.36 + 0.216 + 0.1296 = 2.3056 tokens; 4,000 rounds of spread 1.4 leave 0.022.
  EXPECT_NEAR(fit_of(table, "iid").tokens_per_round.value, 2.3056, 0.08);
  EXPECT_GT(table.constant_acceptance_p.value(), 0.001);
  for (const FittedAcceptance& fit : table.fits)
    EXPECT_GE(fit.akaike_criterion, fit_of(table, "iid").akaike_criterion - 6) << fit.process;
}

TEST(ProcessTable, FindsEasyAndHardPlaces) {
  const auto run = made_up_run(true);
  const ProcessTable table = process_table(all_of(run), run).value();
  EXPECT_FALSE(contains_zero(fit_of(table, "iid").misfit));
  EXPECT_TRUE(contains_zero(fit_of(table, "two_state").misfit));
  EXPECT_LT(table.constant_acceptance_p.value(), 1e-3);
  for (const char* process : {"iid", "per_position", "beta_mixed"})
    EXPECT_GT(fit_of(table, process).akaike_criterion,
              fit_of(table, "two_state").akaike_criterion + 50)
        << process;
}

TEST(ProcessTable, TellsByPositionWhatWasSeen) {
  const auto run = made_up_run(true);
  const ProcessTable table = process_table(all_of(run), run).value();
  const FittedAcceptance fit = fit_of(table, "per_position");
  EXPECT_NEAR(fit.misfit.value, 0, 1e-12);
  EXPECT_NEAR(fit.tokens_per_round.value, table.tokens_per_round.value, 1e-12);
  EXPECT_EQ(fit.parameters.substr(0, 3), "a1=");
  EXPECT_EQ(std::ranges::count(fit.parameters, ';'), kLength - 1);
  EXPECT_EQ(fit.tokens_per_round.n, 20u);
}

TEST(ProcessTable, IsNotOfTreesForcedRoundsOrDraftsThatWereNeverAccepted) {
  auto run = made_up_run(false, 4);
  run.generations[1].axes.tree = "2x2";
  EXPECT_FALSE(process_table(all_of(run), run));
  run = made_up_run(false, 4);
  run.generations[1].forced_acceptance = true;
  EXPECT_FALSE(process_table(all_of(run), run));
  run = made_up_run(false, 4);
  for (Round& round : run.rounds) {
    round.accepted = 0;
    round.tested = round.emitted = 1;
  }
  EXPECT_FALSE(process_table(all_of(run), run));
}

}  // namespace
}  // namespace speclab::analysis
