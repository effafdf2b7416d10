#include "experiments/drivers/papers/comparison.h"

#include <gtest/gtest.h>

#include <limits>

namespace speclab::experiments {
namespace {

Reproduction of_rows(std::vector<Comparison> rows) { return {.rows = std::move(rows)}; }

TEST(Comparison, AgreesWithinItsToleranceOnly) {
  Reproduction reproduction = of_rows(
      {{.setting = "a", .quantity = "q", .ours = 1.0, .reference = 1.05, .tolerance = 0.051},
       {.setting = "b", .quantity = "q", .ours = 1.0, .reference = 1.05, .tolerance = 0.049},
       {.setting = "c", .quantity = "q", .ours = 1.0, .reference = 5.0},
       {.setting = "d", .quantity = "q", .ours = 1.0}});
  judge(reproduction, {});
  EXPECT_EQ(reproduction.rows[0].verdict, Verdict::agrees);
  EXPECT_EQ(reproduction.rows[1].verdict, Verdict::disagrees);
  EXPECT_EQ(reproduction.rows[2].verdict, Verdict::context);
  EXPECT_EQ(reproduction.rows[3].verdict, Verdict::context);
  EXPECT_EQ(text_of(count_verdicts(reproduction.rows)),
            "4 rows: 1 agree (0 printed, 1 recomputed), 0 within the rounding of inputs, 0 known "
            "slips, 2 context, 1 disagree");
}

TEST(Comparison, NotANumberDisagrees) {
  Reproduction reproduction =
      of_rows({{.setting = "a",
                .quantity = "q",
                .ours = std::numeric_limits<double>::quiet_NaN(),
                .reference = 1.0,
                .tolerance = 1.0},
               {.setting = "b", .quantity = "q", .ours = std::numeric_limits<double>::infinity()}});
  judge(reproduction, {});
  EXPECT_EQ(count_verdicts(reproduction.rows).disagrees, 2);
}

TEST(Comparison, ANamedSlipIsExcusedAsFarAsItIsKnown) {
  const Slip slip{.experiment = "e",
                  .name = "known",
                  .setting = "a",
                  .quantity = "q",
                  .allowed = 0.1,
                  .printed = "1.08"};
  Reproduction within = of_rows(
      {{.setting = "a", .quantity = "q", .ours = 1.0, .reference = 1.08, .tolerance = 0.05}});
  judge(within, {slip});
  EXPECT_EQ(within.rows[0].verdict, Verdict::known_slip);
  EXPECT_EQ(within.rows[0].note, "known");
  Reproduction beyond = of_rows(
      {{.setting = "a", .quantity = "q", .ours = 1.0, .reference = 1.2, .tolerance = 0.05}});
  Slip of_another_size = slip;
  of_another_size.printed = "1.2";
  judge(beyond, {of_another_size});
  Reproduction renumbered = of_rows(
      {{.setting = "a", .quantity = "q", .ours = 1.0, .reference = 1.07, .tolerance = 0.05}});
  judge(renumbered, {slip});
  EXPECT_GT(count_verdicts(renumbered.rows).disagrees, 0)
      << "the source's number is another than the list's";
  EXPECT_GT(count_verdicts(beyond.rows).disagrees, 0);
}

/// Rounding explains a slip that is named; it excuses none that is not.
TEST(Comparison, RoundingOfInputsIsToldFromOtherSlips) {
  const Slip slip{.experiment = "e",
                  .name = "known",
                  .setting = "a",
                  .quantity = "q",
                  .allowed = 0.1,
                  .printed = "1.08"};
  const auto with_reach = [](double low, double high) {
    return of_rows({{.setting = "a",
                     .quantity = "q",
                     .ours = 1.0,
                     .reference = 1.08,
                     .tolerance = 0.05,
                     .reachable = analysis::Interval{low, high}}});
  };
  Reproduction reached = with_reach(0.96, 1.04), missed = with_reach(0.99, 1.02),
               unnamed = with_reach(0.96, 1.04);
  judge(reached, {slip});
  judge(missed, {slip});
  judge(unnamed, {});
  EXPECT_EQ(reached.rows[0].verdict, Verdict::input_rounding);
  EXPECT_EQ(reached.rows[0].note, "known, rounding of the inputs allows 0.96 to 1.04");
  EXPECT_EQ(missed.rows[0].verdict, Verdict::known_slip);
  EXPECT_EQ(unnamed.rows[0].verdict, Verdict::disagrees);
}

TEST(Comparison, ASlipThatIsNoneDisagrees) {
  Reproduction reproduction = of_rows(
      {{.setting = "a", .quantity = "q", .ours = 1.0, .reference = 1.0, .tolerance = 0.05}});
  judge(reproduction, {{.experiment = "e",
                        .name = "stale",
                        .setting = "a",
                        .quantity = "q",
                        .allowed = 0.1,
                        .printed = "1.08"}});
  EXPECT_EQ(count_verdicts(reproduction.rows).disagrees, 1);
}

TEST(Comparison, SlipsOfATextExcuseNothing) {
  Reproduction reproduction = of_rows(
      {{.setting = "a", .quantity = "q", .ours = 1.0, .reference = 2.0, .tolerance = 0.05}});
  judge(reproduction, {{.experiment = "e", .name = "wording"}});
  EXPECT_EQ(count_verdicts(reproduction.rows).disagrees, 1);
}

}  // namespace
}  // namespace speclab::experiments
