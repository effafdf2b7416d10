#include "analysis/gate/count_gate.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/analysis/support/gated_run.h"

namespace speclab::analysis {
namespace {

struct MadeUp {
  double drop = 0;  ///< of every prompt's acceptance, 0.4 to 0.8
  std::uint64_t chance =
      0;  ///< keys what the places of the text have to do with this run; 0: nothing
  int prompts = 56;
};

/// Two depths of chains at 64 places a prompt.
AcceptanceRun made_up_acceptance(const MadeUp& options) {
  AcceptanceRun run{.manifest = testing::made_up({.prompts = 1}).manifest, .rows = {}};
  run.manifest.kind = "drafter_acceptance";
  std::mt19937_64 random(options.chance);
  std::normal_distribution<double> noise(0, options.chance == 0 ? 0.0 : 0.02);
  for (int prompt = 0; prompt < options.prompts; ++prompt) {
    double reached = 64;
    for (int depth = 1; depth <= 2; ++depth) {
      const double kept = reached * (0.4 + 0.4 * static_cast<double>(prompt * 37 % 101) / 101 -
                                     options.drop + noise(random));
      run.rows.push_back({.cell_id = "gated",
                          .category = "chat",
                          .prompt_id = "prompt_" + std::to_string(prompt),
                          .axes = {.model = "base",
                                   .drafter = "gated",
                                   .tree = "chain",
                                   .policy = "constant:2",
                                   .verifier = "rejection"},
                          .positions = 64,
                          .depth = depth,
                          .sums = {.drafts = 64, .reached = reached, .accepted = kept}});
      reached = kept;
    }
  }
  return run;
}

AcceptanceRun of_another_machine(AcceptanceRun run) {
  for (auto& [key, value] : run.manifest.entries)
    if (key == "machine") value = "another";
  return run;
}

TEST(AcceptanceGate, OfEqualRunsIsTheSameExactly) {
  const CountGate same = gate_acceptance(made_up_acceptance({}), made_up_acceptance({}), {});
  EXPECT_EQ(same.verdict, GateVerdict::same);
  EXPECT_TRUE(same.is_exact());
  ASSERT_EQ(same.cells.size(), 1u);
  EXPECT_EQ(same.cells[0].n_prompts, 56u);
  EXPECT_EQ(same.cells[0].n_rows, 112u);
  EXPECT_FALSE(same.cells[0].base_walltime_ns);
}

TEST(AcceptanceGate, RateIsAcceptedOverTestedAtAllDepths) {
  const CountGate gate = gate_acceptance(made_up_acceptance({.prompts = 1}),
                                         made_up_acceptance({.drop = 0.1, .prompts = 1}), {});
  const GatedRate rate = gate.cells[0].acceptance_rate.value();
  EXPECT_NEAR(rate.base, 0.4, 1e-12);
  EXPECT_NEAR(rate.head, 0.3, 1e-12);
}

TEST(AcceptanceGate, FindsADropOfTwoHundredthsAndARise) {
  const AcceptanceRun base = made_up_acceptance({.chance = 1}),
                      worse = made_up_acceptance({.drop = 0.02, .chance = 2});
  EXPECT_EQ(gate_acceptance(base, of_another_machine(worse), {}).verdict, GateVerdict::slow);
  EXPECT_EQ(gate_acceptance(worse, of_another_machine(base), {}).verdict, GateVerdict::fast);
  EXPECT_EQ(
      gate_acceptance(base, of_another_machine(made_up_acceptance({.chance = 3})), {}).verdict,
      GateVerdict::same);
}

TEST(AcceptanceGate, MissesNoSumWhereAllMustBeEqual) {
  for (const auto change : {+[](AcceptanceRow& row) { row.sums.accepted += 1e-9; },
                            +[](AcceptanceRow& row) { row.sums.reached -= 1e-9; },
                            +[](AcceptanceRow& row) { --row.sums.drafts; },
                            +[](AcceptanceRow& row) { row.sums.in_top[0] = 1; }}) {
    AcceptanceRun head = made_up_acceptance({});
    change(head.rows.back());
    const CountGate exact = gate_acceptance(made_up_acceptance({}), head, {});
    EXPECT_EQ(exact.verdict, GateVerdict::ambiguous);
    EXPECT_EQ(exact.cells[0].changed_rows, 1u);
    EXPECT_EQ(gate_acceptance(made_up_acceptance({}), of_another_machine(head), {}).verdict,
              GateVerdict::same);
  }
}

TEST(AcceptanceGate, CountsADepthThatOneRunNeverReached) {
  AcceptanceRun head = made_up_acceptance({.prompts = 3});
  head.rows.pop_back();
  EXPECT_EQ(gate_acceptance(made_up_acceptance({.prompts = 3}), head, {}).cells[0].changed_rows,
            1u);
}

/// Where nothing is tested any more there is no rate, and where little is, it says nothing of the
/// rest.
TEST(AcceptanceGate, FindsADrafterThatFallsSilent) {
  const AcceptanceRun base = made_up_acceptance({.chance = 1});
  for (const double share : {0.0, 0.02}) {
    AcceptanceRun silent = base;
    for (AcceptanceRow& row : silent.rows)
      row.sums = {
          .drafts = 2, .reached = share * row.sums.reached, .accepted = share * row.sums.accepted};
    EXPECT_EQ(gate_acceptance(base, of_another_machine(silent), {}).verdict, GateVerdict::slow)
        << share;
  }
}

TEST(AcceptanceGate, RefusesRunsThatWereInterrupted) {
  AcceptanceRun half = made_up_acceptance({});
  half.manifest.planned_generations = 57;
  EXPECT_EQ(gate_acceptance(half, half, {}).work_differences.front(),
            "base: 56 of 57 texts were measured; the same speclab run goes on where it stopped");
}

TEST(AcceptanceGate, RefusesOtherPromptsPlacesAndOrigins) {
  const AcceptanceRun base = made_up_acceptance({});
  EXPECT_EQ(gate_acceptance(base, made_up_acceptance({.prompts = 55}), {}).verdict,
            GateVerdict::invalid);
  AcceptanceRun shorter = made_up_acceptance({});
  for (AcceptanceRow& row : shorter.rows) --row.positions;
  EXPECT_EQ(gate_acceptance(base, shorter, {}).verdict, GateVerdict::invalid);
  AcceptanceRun unknown = made_up_acceptance({});
  for (auto& [key, value] : unknown.manifest.entries)
    if (key == "blas") value = kNotRecorded;
  EXPECT_EQ(gate_acceptance(base, unknown, {}).work_differences,
            std::vector<std::string>{"head: its manifest does not say blas; measure it again"});
}

}  // namespace
}  // namespace speclab::analysis
