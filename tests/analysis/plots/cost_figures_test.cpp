#include "analysis/plots/kind_figures.h"

#include <gtest/gtest.h>

namespace speclab::analysis {
namespace {

CostRow forward(const std::string& model, std::int64_t rows, std::int64_t context, double ns) {
  return {.setting = {.model = model},
          .kind = sim::CostKind::target,
          .rows = rows,
          .context = context,
          .ns = {.value = ns, .interval = Interval{ns - 1e6, ns + 1e6}, .n = 6}};
}

TEST(ForwardCostFigures, HaveALineAContextWithPointsByRows) {
  const auto figures = forward_cost_figures(
      {forward("m", 8, 64, 2e7), forward("m", 1, 64, 1e7), forward("m", 1, 256, 1.2e7)});
  ASSERT_EQ(figures.size(), 1u);
  ASSERT_EQ(figures[0].series.size(), 2u);
  EXPECT_EQ(figures[0].series[0].name, "after 64 tokens");
  EXPECT_EQ(figures[0].series[0].points[0].x, 1);
  EXPECT_EQ(figures[0].series[0].points[1].y, 20);
  EXPECT_EQ(figures[0].series[0].points[1].interval->low, 19);
}

TEST(ForwardCostFigures, AreOneAModelAndLeaveDraftsOut) {
  CostRow draft = forward("other", 1, 64, 1e6);
  draft.kind = sim::CostKind::draft;
  const auto figures =
      forward_cost_figures({forward("a", 1, 64, 1e7), draft, forward("b", 1, 64, 2e7)});
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].id, "forward_cost");
  EXPECT_EQ(figures[1].id, "forward_cost_2");
}

}  // namespace
}  // namespace speclab::analysis
