#include "tests/support/surface_speedup.h"

#include <gtest/gtest.h>

#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// A surface of the scalar model: a forward of any rows costs `target`, a level `draft`, a round
/// `overhead`.
CostSurface scalar_surface(double target, double draft, double overhead) {
  return CostSurface({point(CostKind::target, 1, 0, target), point(CostKind::draft, 1, 0, draft),
                      point(CostKind::draft, 2, 0, 2 * draft),
                      point(CostKind::overhead, 1, 0, overhead)});
}

TEST(SurfaceSpeedup, IsTheScalarOneWhereCostsAreScalar) {
  for_random_values([](RandomValues& values) {
    const double rate = values.uniform(), cost = values.uniform(0.01, 0.8);
    const int length = values.integer(0, 12);
    const CostSurface surface = scalar_surface(1000.0, 1000.0 * cost, 0.0);
    EXPECT_NEAR(predicted_speedup(rate, length, surface, 0), predicted_speedup(rate, length, cost),
                1e-12);
    EXPECT_EQ(optimal_speculation_length(rate, surface, 0, 30),
              optimal_speculation_length(rate, cost, 30));
    const std::vector<double> conditional(static_cast<std::size_t>(length), rate);
    EXPECT_NEAR(predicted_speedup(conditional, surface, 0),
                predicted_speedup(rate, length, surface, 0), 1e-13);
  });
}

TEST(SurfaceSpeedup, ChargesTheOverheadToBothSides) {
  const CostSurface surface = scalar_surface(900.0, 50.0, 100.0);
  EXPECT_NEAR(predicted_speedup(0.8, 4, surface, 0), tokens_per_round(0.8, 4) * 1000.0 / 1200.0,
              1e-13);
  EXPECT_EQ(predicted_speedup(0.8, 0, surface, 0), 1.0);
}

TEST(SurfaceSpeedup, FindsTheHigherOfTwoPeaks) {
  // Rows 2 to 4 are dear, from 5 on nothing more is added: both a short and a long draft are
  // locally best.
  const CostSurface surface({point(CostKind::target, 1, 0, 1000),
                             point(CostKind::target, 2, 0, 1200),
                             point(CostKind::target, 5, 0, 3300),
                             point(CostKind::target, 6, 0, 3300), point(CostKind::draft, 1, 0, 1),
                             point(CostKind::draft, 2, 0, 2), point(CostKind::overhead, 1, 0, 0)});
  EXPECT_GT(predicted_speedup(0.97, 1, surface, 0), predicted_speedup(0.97, 2, surface, 0))
      << "the first peak";
  EXPECT_GT(optimal_speculation_length(0.97, surface, 0, 40), 5);
  EXPECT_EQ(optimal_speculation_length(0.97, surface, 0, 4), 1);
}

TEST(HardwareAwareTreeOfASurface, IsThatOfItsOptions) {
  for_random_values(
      [](RandomValues& values) {
        const std::vector<double> ranks = values.falling_ranks(4);
        const double cost = values.uniform(0.0, 0.2), last = values.uniform(1.0, 3.0);
        const CostSurface surface(
            {point(CostKind::target, 1, 0, 1.0), point(CostKind::target, 20, 0, last),
             point(CostKind::draft, 1, 0, cost), point(CostKind::draft, 2, 0, 2 * cost),
             point(CostKind::overhead, 1, 0, 0)});
        std::vector<VerifyCost> options;
        for (int nodes = 1; nodes <= 20; ++nodes)
          options.push_back({nodes, surface.t_target_ns(nodes, 0)});
        const double highest = hardware_aware_tree(ranks, options, cost, 6).predicted_speedup;
        EXPECT_NEAR(hardware_aware_tree(ranks, surface, 0, {20, 6}).predicted_speedup, highest,
                    1e-12);
      },
      100);
}

TEST(SurfaceSpeedup, RefusesArgumentsOutOfRange) {
  const CostSurface surface = scalar_surface(1000.0, 50.0, 0.0);
  const CostSurface without_draft(
      {point(CostKind::target, 1, 0, 1000.0), point(CostKind::overhead, 1, 0, 0.0)});
  expect_refused([&](double rate) { predicted_speedup(rate, 3, surface, 0); }, kNoProbability);
  expect_refused([&](double rate) { predicted_speedup(std::vector<double>{rate}, surface, 0); },
                 kNoProbability);
  expect_refused([&](double rate) { optimal_speculation_length(rate, surface, 0, 3); },
                 kNoProbability);
  EXPECT_THROW(predicted_speedup(0.5, -1, surface, 0), ContractError);
  EXPECT_THROW(predicted_speedup(0.5, 3, surface, -1), ContractError);
  EXPECT_THROW(predicted_speedup(0.5, 3, without_draft, 0), ContractError);
  EXPECT_THROW(optimal_speculation_length(0.5, surface, 0, -1), ContractError);
  expect_refused([&](const auto& ranks) { hardware_aware_tree(ranks, surface, 0, {4, 4}); },
                 kNoRankAcceptance);
  EXPECT_THROW(hardware_aware_tree(std::vector<double>{0.5}, surface, 0, {0, 4}), ContractError);
  EXPECT_THROW(hardware_aware_tree(std::vector<double>{0.5}, without_draft, 0, {4, 4}),
               ContractError);
}

}  // namespace
}  // namespace speclab::sim
