#include "analysis/gate/count_gate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/support/gated_run.h"

namespace speclab::analysis {
namespace {

using testing::GatedRun;
using testing::made_up;
using testing::set_provenance;

CountGate gate(const GatedRun& base, const GatedRun& head) {
  return gate_counts(made_up(base), made_up(head), {});
}

TEST(CountGate, OfEqualRunsIsTheSameExactly) {
  const CountGate same = gate({}, {});
  EXPECT_TRUE(same.is_exact());
  EXPECT_EQ(same.verdict, GateVerdict::same);
  ASSERT_EQ(same.cells.size(), 2u);
  EXPECT_EQ(same.cells[1].changed_rows, 0u);
  EXPECT_EQ(same.cells[1].acceptance_rate.value().change.difference.value, 0);
  EXPECT_FALSE(same.cells[0].acceptance_rate) << "plain decoding drafts nothing";
}

TEST(CountGate, OfOtherWorkIsInvalidAndHasNoCells) {
  const CountGate invalid = gate({}, {.prompts = 55});
  EXPECT_EQ(invalid.verdict, GateVerdict::invalid);
  EXPECT_TRUE(invalid.cells.empty());
  EXPECT_FALSE(invalid.work_differences.empty());
}

/// One count of one row is enough between runs whose counts must be equal, and nothing between
/// others.
TEST(CountGate, MissesNoCountWhereAllMustBeEqual) {
  constexpr std::int64_t Generation::* kCounts[] = {
      &Generation::rounds,   &Generation::drafting_rounds, &Generation::drafted,
      &Generation::accepted, &Generation::tested,          &Generation::recovered,
      &Generation::bonus};
  for (const auto count : kCounts) {
    analysis::Run head = made_up({});
    ++(head.generations.back().*count);
    const CountGate exact = gate_counts(made_up({}), head, {});
    EXPECT_EQ(exact.verdict, GateVerdict::ambiguous);
    EXPECT_EQ(exact.cells[1].changed_rows, 1u);
    EXPECT_NE(exact.cells[1].reason.find("1 of 56 rows have other counts or text"),
              std::string::npos)
        << exact.cells[1].reason;
    set_provenance(head, "machine", "another");
    EXPECT_EQ(gate_counts(made_up({}), head, {}).verdict, GateVerdict::same);
  }
  analysis::Run head = made_up({});
  head.generations.back().output_hash = "ffffffffffffffff";
  EXPECT_EQ(gate_counts(made_up({}), head, {}).verdict, GateVerdict::ambiguous);
}

TEST(CountGate, SaysOnEqualGroundsWhatChangedForTheWorseOrTheBetter) {
  const CountGate worse = gate({.prompts = 112}, {.drop = 0.05, .prompts = 112}),
                  better = gate({.drop = 0.05, .prompts = 112}, {.prompts = 112});
  EXPECT_TRUE(worse.is_exact());
  EXPECT_EQ(worse.verdict, GateVerdict::slow);
  EXPECT_NE(worse.cells[1].reason.find("acceptance rate fell by 0.0"), std::string::npos)
      << worse.cells[1].reason;
  EXPECT_EQ(better.verdict, GateVerdict::fast);
}

/// `auto` weighs costs that were measured, so its lengths may differ between runs of one machine.
TEST(CountGate, LeavesTheLengthsOfAutoToDiffer) {
  const CountGate automatic =
      gate({.policy = "auto", .repetitions = 8}, {.chance = 2, .policy = "auto", .repetitions = 8});
  EXPECT_TRUE(automatic.is_exact());
  EXPECT_EQ(automatic.verdict, GateVerdict::same) << automatic.cells[1].reason;
  EXPECT_GT(automatic.cells[1].changed_rows, 0u);
  EXPECT_FALSE(automatic.cells[1].tokens_per_round);
  EXPECT_EQ(gate({.policy = "auto", .repetitions = 8},
                 {.drop = 0.05, .chance = 2, .policy = "auto", .repetitions = 8})
                .verdict,
            GateVerdict::slow);
}

TEST(CountGate, CannotExcludeADropWithFewPrompts) {
  const CountGate few = gate({.prompts = 3}, {.chance = 2, .machine = "another", .prompts = 3});
  EXPECT_EQ(few.verdict, GateVerdict::ambiguous);
  EXPECT_NE(few.cells[1].reason.find("a drop of 0.02 is neither shown nor excluded"),
            std::string::npos);
  EXPECT_GT(few.cells[1].smallest_drop_found.value(), 0.02);
  const CountGate one = gate({.prompts = 1}, {.chance = 2, .machine = "another", .prompts = 1});
  EXPECT_EQ(one.verdict, GateVerdict::ambiguous);
  EXPECT_TRUE(std::isinf(one.cells[1].smallest_drop_found.value()));
}

TEST(CountGate, RefusesTextsOfOtherLengths) {
  analysis::Run base = made_up({}), head = made_up({.chance = 2});
  for (analysis::Run* run : {&base, &head})
    testing::set_config(*run, "prompts.ignore_eos", "false");
  for (std::size_t i = 0; i < head.generations.size(); ++i)
    head.generations[i].output_tokens -= 5 + static_cast<std::int64_t>(i % 3);
  const CountGate shorter = gate_counts(base, head, {});
  EXPECT_EQ(shorter.verdict, GateVerdict::invalid);
  EXPECT_NE(shorter.cells[1].reason.find("texts of 96.0 and 90.0 tokens in the mean"),
            std::string::npos)
      << shorter.cells[1].reason;
}

struct Outcomes {
  int same = 0, fast = 0, slow = 0, ambiguous = 0;
  double smallest_drop_found = 0;  ///< mean
};

/// Pairs of independent runs, of which nothing must be equal.
Outcomes outcomes(int pairs, GatedRun base, double drop) {
  Outcomes outcomes;
  for (int i = 0; i < pairs; ++i) {
    GatedRun head = base;
    base.chance = static_cast<std::uint64_t>(2 * i + 1);
    head.chance = base.chance + 1;
    head.machine = "another";
    head.drop = drop;
    const CountGate result = gate(base, head);
    outcomes.same += result.verdict == GateVerdict::same;
    outcomes.fast += result.verdict == GateVerdict::fast;
    outcomes.slow += result.verdict == GateVerdict::slow;
    outcomes.ambiguous += result.verdict == GateVerdict::ambiguous;
    outcomes.smallest_drop_found += result.cells[1].smallest_drop_found.value() / pairs;
  }
  return outcomes;
}

/// Alarms, of either direction, come in at most 1 % of 600 pairs without a change: at that rate 16
/// or more come with odds of 2e-4.
TEST(CountGate, RarelyAlarmsWhereNothingChanged) {
  const Outcomes unchanged = outcomes(600, {.prompts = 28, .cells = 3}, 0);
  EXPECT_LE(unchanged.slow + unchanged.fast, 15);
  EXPECT_GT(unchanged.same + unchanged.ambiguous, 0);
}

/// Drafted independently in both runs, by as much as a drop of 0.02 needs: it is found in the 90 %
/// of the pairs that the runs say (180 of 200, 166 less 3.5 standard deviations), and called the
/// same where the 95 % interval just misses it, in 2.5 % (5, at most 14 with odds of 3e-4).
TEST(CountGate, FindsADropOfTwoHundredths) {
  const GatedRun size{.prompts = 56, .repetitions = 4};
  const Outcomes unchanged = outcomes(200, size, 0), dropped = outcomes(200, size, 0.02);
  EXPECT_NEAR(unchanged.smallest_drop_found, 0.02, 0.0015);
  EXPECT_GE(unchanged.same, 186) << "as many miss the interval";
  EXPECT_GE(dropped.slow, 166);
  EXPECT_LE(dropped.same, 14);
  EXPECT_EQ(dropped.fast, 0);
}

}  // namespace
}  // namespace speclab::analysis
