#include "sim/analytic/depth_costs.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

/// One to three contexts for each kind, the same for all or not.
CostSurface random_surface(RandomValues& values) {
  const bool is_grid = values.integer(0, 1) == 0;
  std::vector<CostPoint> points;
  int count = values.integer(1, 3);
  for (const CostKind kind : {CostKind::target, CostKind::draft, CostKind::overhead}) {
    if (!is_grid) count = values.integer(1, 3);
    for (int i = 0; i < count; ++i)
      for (const int rows : {1, 3, 9})
        points.push_back(point(kind, rows, is_grid ? 100 * i : 100 * i + values.integer(0, 40),
                               values.uniform(10.0, 100.0)));
  }
  for (std::size_t i = 0; i < points.size();
       ++i)  // rows of one kind at contexts of their own, but none twice
    for (std::size_t j = 0; j < i; ++j)
      if (points[i].kind == points[j].kind && points[i].rows == points[j].rows &&
          points[i].context == points[j].context)
        points[i].context += 41;
  return CostSurface(points);
}

TEST(DepthCosts, AreThoseOfTheSurfaceToTheBit) {
  const std::vector<int> rows{1, 2, 3, 4, 7, 9, 12};
  int known = 0;
  for_random_values([&](RandomValues& values) {
    const CostSurface surface = random_surface(values);
    const DepthCosts costs(surface, rows);
    std::vector<double> total(rows.size());
    for (int context = 0; context < 320; context += values.integer(1, 9)) {
      costs.at(context, total);
      for (std::size_t depth = 0; depth < rows.size(); ++depth) {
        EXPECT_EQ(total[depth], surface.round_ns(static_cast<int>(depth), rows[depth], context))
            << "depth " << depth << ", context " << context;
        ++known;
      }
    }
  });
  EXPECT_GT(known, 10'000);
}

TEST(DepthCosts, RefuseWhatTheSurfaceRefuses) {
  const CostSurface falling({point(CostKind::target, 1, 0, 100), point(CostKind::target, 1, 10, 50),
                             point(CostKind::overhead, 1, 0, 1), point(CostKind::draft, 1, 0, 1)});
  const DepthCosts costs(falling, std::vector<int>{1, 1});
  std::vector<double> total(2);
  costs.at(10, total);
  EXPECT_EQ(total, (std::vector<double>{51, 52}));
  costs.at(21, total);
  EXPECT_EQ(total, (std::vector<double>{51, 52})) << "a falling line is held at its end";
  EXPECT_THROW(costs.at(-1, total), ContractError);
  EXPECT_THROW(costs.at(5, std::span(total).first(1)), ContractError);
  EXPECT_THROW(DepthCosts(falling, std::vector<int>{0}), ContractError);
  EXPECT_THROW(DepthCosts(CostSurface({point(CostKind::target, 1, 0, 1)}), std::vector<int>{1}),
               ContractError);
}

}  // namespace
}  // namespace speclab::sim
