#include "sim/analytic/cost_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/system/errors.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using speclab::testing::point;

CostSurface surface() {
  return CostSurface({point(CostKind::target, 1, 0, 100), point(CostKind::target, 5, 0, 140),
                      point(CostKind::target, 9, 0, 220), point(CostKind::target, 1, 1000, 200),
                      point(CostKind::target, 9, 1000, 320), point(CostKind::target, 1, 500, 120),
                      point(CostKind::draft, 1, 0, 10), point(CostKind::draft, 4, 0, 40),
                      point(CostKind::overhead, 1, 0, 3)});
}

TEST(CostSurface, ReturnsMeasuredPointsAndTheLinesBetweenThem) {
  EXPECT_EQ(surface().t_target_ns(1, 0), 100);
  EXPECT_EQ(surface().t_target_ns(9, 1000), 320);
  EXPECT_EQ(surface().t_target_ns(3, 0), 120);
  EXPECT_EQ(surface().t_target_ns(1, 750), 160);
  EXPECT_EQ(surface().t_draft_ns(2, 0), 20);
}

TEST(CostSurface, InterpolatesInContextOnlyWhereThatManyRowsWereMeasured) {
  EXPECT_EQ(surface().t_target_ns(9, 500), 270);  // context 500 has one row only
  EXPECT_EQ(surface().t_target_ns(5, 500), 200);  // between 140 and 260
}

TEST(CostSurface, ContinuesTheNearestSegmentAndHoldsASinglePoint) {
  EXPECT_EQ(surface().t_target_ns(1, 1100), 216);
  EXPECT_EQ(surface().t_draft_ns(5, 0), 50);
  EXPECT_EQ(surface().overhead_ns(7, 900), 3);
}

TEST(CostSurface, ChargesNoDraftForLengthZero) {
  const CostSurface no_drafter(
      {point(CostKind::target, 1, 0, 100), point(CostKind::overhead, 1, 0, 3)});
  EXPECT_EQ(no_drafter.t_draft_ns(0, 0), 0.0);
  EXPECT_THROW(no_drafter.t_draft_ns(1, 0), ContractError);
  EXPECT_EQ(no_drafter.plain_step_ns(0), 103);
  EXPECT_EQ(surface().round_ns(4, 5, 0), 40 + 140 + 3);
}

TEST(CostSurface, RefusesPointsOutOfRangeAndRepeatedOnes) {
  EXPECT_THROW(CostSurface({point(CostKind::target, 0, 0, 1)}), DataError);
  EXPECT_THROW(CostSurface({point(CostKind::target, 1, -1, 1)}), DataError);
  EXPECT_THROW(CostSurface({point(CostKind::target, 1, 0, 0)}), DataError);
  EXPECT_THROW(CostSurface({point(CostKind::target, 1, 0, std::nan(""))}), DataError);
  EXPECT_THROW(CostSurface({point(CostKind::draft, 1, 0, 1), point(CostKind::draft, 1, 0, 2)}),
               DataError);
  EXPECT_THROW(surface().prefill_ns(10), ContractError);
}

// Defect: two neighbouring timings of a noisy machine were continued to a negative cost.
TEST(CostSurface, HoldsAFallingEndAndHalvesAtMostBeforeTheFirstPoint) {
  const CostSurface noisy({point(CostKind::target, 1, 10, 10), point(CostKind::target, 1, 20, 5),
                           point(CostKind::target, 9, 10, 2), point(CostKind::target, 9, 20, 8)});
  EXPECT_EQ(noisy.t_target_ns(1, 21), 5);
  EXPECT_EQ(noisy.t_target_ns(1, 1000), 5);
  EXPECT_EQ(noisy.t_target_ns(1, 0), 15) << "a falling segment rises towards the left";
  EXPECT_EQ(noisy.t_target_ns(9, 9), 1.4);
  EXPECT_EQ(noisy.t_target_ns(9, 0), 1);
  EXPECT_EQ(noisy.t_target_ns(17, 10), 2) << "rows are held as contexts are";
}

TEST(RoundCosts, AreThoseOfTheSurfaceToTheBit) {
  const CostSurface costs = surface();
  RoundCosts rounds(costs);
  for (const int context : {0, 1, 333, 500, 750, 1000, 1234})
    for (const int depth : {3, 0, 8, 1}) {
      const RoundTimes times = rounds.at(depth, depth + 1, context);
      EXPECT_EQ(times.target_ns, costs.t_target_ns(depth + 1, context));
      EXPECT_EQ(times.draft_ns, costs.t_draft_ns(depth, context));
      EXPECT_EQ(times.overhead_ns, costs.overhead_ns(depth + 1, context));
      EXPECT_EQ(times.total_ns(), costs.round_ns(depth, depth + 1, context));
    }
}

TEST(RoundCosts, RefuseWhatTheSurfaceRefuses) {
  const CostSurface no_drafter({point(CostKind::target, 1, 0, 100),
                                point(CostKind::target, 2, 100, 10),
                                point(CostKind::overhead, 1, 0, 3)});
  RoundCosts rounds(no_drafter);
  EXPECT_EQ(rounds.at(0, 1, 5).draft_ns, 0.0);
  EXPECT_THROW(rounds.at(1, 2, 0), ContractError);
  EXPECT_THROW(rounds.at(-1, 1, 0), ContractError);
  EXPECT_THROW(rounds.at(0, 1, -1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
