// A run whose every nanosecond is known: each cause gets exactly what was put there.
#include "analysis/stats/ledger.h"

#include <gtest/gtest.h>

#include <numeric>

#include "analysis/stats/intervals.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kForwardNs = 1000, kDraftNs = 100, kOverheadNs = 10, kPrefillNs = 5000;

CostRow cost(sim::CostKind kind, const std::string& drafter, std::optional<Regime> regime,
             double ns) {
  return {.setting = {.model = "m",
                      .drafter = drafter,
                      .tree = drafter.empty() ? "" : "chain",
                      .verifier = drafter.empty() ? "" : "rejection"},
          .regime = regime,
          .kind = kind,
          .rows = 1,
          .context = 0,
          .ns = {.value = ns, .interval = {}, .n = 6}};
}

std::vector<CostRow> costs() {
  return {cost(sim::CostKind::target, "", {}, kForwardNs),
          cost(sim::CostKind::prefill, "", {}, kPrefillNs),
          cost(sim::CostKind::overhead, "", Regime::greedy, kOverheadNs),
          cost(sim::CostKind::draft, "bigram", Regime::greedy, kDraftNs),
          cost(sim::CostKind::overhead, "bigram", Regime::greedy, kOverheadNs)};
}

/// Two rounds of two drafts each, of which `accepted` are accepted in the first; the second loses
/// its last token to a stop rule.
class LedgerTest : public ::testing::Test {
 protected:
  void add_generation(const std::string& prompt, std::int64_t extra_target_ns) {
    Generation g;
    g.row_id = static_cast<std::int64_t>(run_.generations.size());
    g.cell_id = "cell", g.prompt_id = prompt, g.category = "chat";
    g.axes = {.model = "m",
              .drafter = "bigram",
              .tree = "chain",
              .policy = "constant:2",
              .verifier = "rejection"};
    g.prompt_tokens = 7;
    g.output_tokens = 5;
    g.rounds = g.drafting_rounds = 2;
    g.first_round = run_.rounds.size();
    run_.rounds.push_back({.row_id = g.row_id,
                           .position = 7,
                           .rows = 3,
                           .depth = 2,
                           .accepted = 2,
                           .drafted = 2,
                           .tested = 2,
                           .emitted = 3});
    run_.rounds.push_back({.row_id = g.row_id,
                           .position = 10,
                           .rows = 3,
                           .depth = 2,
                           .accepted = 2,
                           .drafted = 2,
                           .tested = 2,
                           .emitted = 2});
    g.prefill_ns = 5500;
    g.draft_ns = 300;
    g.target_ns = 2000 + extra_target_ns;
    g.verify_ns = 15;
    g.other_ns = 25;
    g.decode_ns = g.draft_ns + g.target_ns + g.verify_ns + g.other_ns;
    run_.generations.push_back(g);
  }
  Generations all() const {
    Generations list;
    for (const Generation& g : run_.generations) list.push_back(&g);
    return list;
  }

  analysis::Run run_;
};

TEST_F(LedgerTest, GivesEveryCauseWhatItAdded) {
  add_generation("a", 60);
  add_generation("b", 80);
  run_.predictions["cell"] = {
      .walltime_ns = 6000, .speedup = 2, .tokens_per_round = 3, .acceptance_rate = 1};
  const auto ledger = LedgerMaker(run_, costs(), {}).ledger(all());
  ASSERT_TRUE(ledger);
  const double on_surface = kPrefillNs + 2 * (kForwardNs + kDraftNs + kOverheadNs),
               ragged = (kForwardNs + kDraftNs + kOverheadNs) / 3;
  EXPECT_FALSE(ledger->is_known(Cause::pace));
  EXPECT_EQ(ledger->at(Cause::pace).value, 0);
  EXPECT_NEAR(ledger->at(Cause::acceptance).value, on_surface - ragged - 6000, 1e-9);
  EXPECT_NEAR(ledger->at(Cause::ragged_end).value, ragged, 1e-9);
  EXPECT_NEAR(ledger->at(Cause::prefill).value, 500, 1e-9);
  EXPECT_NEAR(ledger->at(Cause::drafting).value, 100, 1e-9);
  EXPECT_NEAR(ledger->at(Cause::overhead).value, 20, 1e-9);
  EXPECT_NEAR(ledger->at(Cause::not_explained).value, 70, 1e-9);
  const double sum =
      std::accumulate(ledger->ns.begin(), ledger->ns.end(), ledger->predicted_ns,
                      [](double total, const Estimate& cause) { return total + cause.value; });
  EXPECT_NEAR(sum, ledger->measured_ns, 1e-6);
  EXPECT_EQ(ledger->at(Cause::not_explained).n, 2u);
  EXPECT_LT(ledger->at(Cause::not_explained).interval->low, 60);
}

TEST_F(LedgerTest, PutsThePaceOfTheMachineApart) {
  add_generation("a", 2000);  // forwards of 2,000 ns, as timed between the generations
  run_.predictions["cell"] = {.walltime_ns = 6000,
                              .speedup = 2,
                              .tokens_per_round = 3,
                              .acceptance_rate = 1,
                              .paced_walltime_ns = 9000};
  const auto ledger =
      LedgerMaker(run_, costs(),
                  {{.row_id = 0, .model = "m", .rows = 1, .context = 0, .ns = 2 * kForwardNs}})
          .ledger(all());
  ASSERT_TRUE(ledger);
  EXPECT_TRUE(ledger->is_known(Cause::pace));
  EXPECT_EQ(ledger->at(Cause::pace).value, 3000);
  EXPECT_NEAR(ledger->at(Cause::not_explained).value, 0, 1e-9);
  EXPECT_NEAR(ledger->at(Cause::prefill).value, 5500 - 2 * kPrefillNs, 1e-9);
}

TEST_F(LedgerTest, DoesNotTakeUnlikeLengthsForChanceInAcceptance) {
  for (const std::int64_t tokens : {3, 30, 300}) {
    add_generation("prompt of " + std::to_string(tokens), 0);
    Generation& g = run_.generations.back();
    g.axes = g.axes.plain(), g.output_tokens = tokens, g.drafting_rounds = 0;
  }
  run_.predictions["cell"] = {.walltime_ns = kPrefillNs + 111 * (kForwardNs + kOverheadNs),
                              .speedup = 1,
                              .tokens_per_round = 1,
                              .acceptance_rate = {}};
  const auto ledger = LedgerMaker(run_, costs(), {}).ledger(all());
  ASSERT_TRUE(ledger);
  EXPECT_NEAR(ledger->at(Cause::acceptance).interval->low, 0, 1e-6);
  EXPECT_NEAR(ledger->at(Cause::acceptance).interval->high, 0, 1e-6);
}

TEST_F(LedgerTest, SaysTheLargestReasonsFirst) {
  add_generation("a", 3000);
  run_.predictions["cell"] = {
      .walltime_ns = 6000, .speedup = 2, .tokens_per_round = 3, .acceptance_rate = 1};
  const auto ledger = LedgerMaker(run_, costs(), {}).ledger(all());
  EXPECT_EQ(reasons(*ledger),
            "not explained (+50.0 %), acceptance (+14.2 %), reading the prompt (+8.3 %)");
  EXPECT_NEAR(median_unexplained({*ledger})->value, 3000.0 / ledger->measured_ns, 1e-12);
}

TEST_F(LedgerTest, SaysReasonsOfEitherSign) {
  Ledger ledger{.predicted_ns = 1000, .measured_ns = 1100, .ns = {}};
  ledger.ns[static_cast<std::size_t>(Cause::pace)].value = 300;
  ledger.ns[static_cast<std::size_t>(Cause::acceptance)].value = -240;
  ledger.ns[static_cast<std::size_t>(Cause::drafting)].value = 40;
  ledger.ns[static_cast<std::size_t>(Cause::overhead)].value = 4;
  EXPECT_EQ(reasons(ledger),
            "pace of the machine (+30.0 %), acceptance (-24.0 %), drafting (+4.0 %)");
}

TEST_F(LedgerTest, IsMissingWithoutPredictionOrCosts) {
  add_generation("a", 0);
  EXPECT_FALSE(LedgerMaker(run_, costs(), {}).ledger(all()));
  run_.predictions["cell"] = {
      .walltime_ns = 6000, .speedup = 2, .tokens_per_round = 3, .acceptance_rate = 1};
  EXPECT_FALSE(LedgerMaker(run_, {}, {}).ledger(all()));
  EXPECT_TRUE(LedgerMaker(run_, costs(), {}).ledger(all()));
}

TEST(ClusteredMean, TakesBothSignsAndHasAnIntervalFromTwoClustersOn) {
  ClusterTotals totals;
  totals.add(-4, 2);
  const Estimate one = clustered_mean(totals);
  EXPECT_EQ(one.value, -2);
  EXPECT_FALSE(one.interval);
  EXPECT_FALSE(clustered_standard_error(totals));
  totals.add(0, 2);
  const Estimate two = clustered_mean(totals);  // -1, standard error 1, t(0.975, 1) = 12.706
  EXPECT_DOUBLE_EQ(clustered_standard_error(totals).value(), 1);
  EXPECT_NEAR(two.interval->low, -1 - 12.706, 1e-3);
  EXPECT_NEAR(two.interval->high, -1 + 12.706, 1e-3);
  EXPECT_THROW(clustered_mean(ClusterTotals{}), ContractError);
  EXPECT_THROW(clustered_standard_error(ClusterTotals{}), ContractError);
}

}  // namespace
}  // namespace speclab::analysis
