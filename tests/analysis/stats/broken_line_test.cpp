#include "analysis/stats/line_fit.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

const std::vector<double> kX = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

std::vector<double> values(double breakpoint, double noise) {
  std::vector<double> y;
  for (std::size_t i = 0; i < kX.size(); ++i)
    y.push_back(4 + 0.1 * kX[i] + (kX[i] > breakpoint ? 0.4 * (kX[i] - breakpoint) : 0.0) +
                (i % 2 == 0 ? noise : -noise));
  return y;
}

TEST(BrokenLine, FindsTheLinesAndWhereTheyMeet) {
  const BrokenLineFit fit = fit_broken_line(kX, values(8, 0));
  EXPECT_EQ(fit.breakpoint, 8);
  EXPECT_NEAR(fit.intercept, 4, 1e-12);
  EXPECT_NEAR(fit.slope_before, 0.1, 1e-12);
  EXPECT_NEAR(fit.slope_after, 0.5, 1e-12);
  EXPECT_NEAR(fit.rms_error, 0, 1e-12);
}

/// With errors of 0.01 all lines with another break are further off.
TEST(BrokenLine, FindsTheBreakBehindSmallErrors) {
  for (const double breakpoint : {3.0, 4.0, 6.0, 8.0, 12.0, 16.0})
    EXPECT_EQ(fit_broken_line(kX, values(breakpoint, 0.01)).breakpoint, breakpoint);
}

TEST(BrokenLine, OfAStraightLineHasOneSlope) {
  const BrokenLineFit fit = fit_broken_line(kX, values(100, 0));
  EXPECT_NEAR(fit.slope_before, fit.slope_after, 1e-12);
}

TEST(BrokenLine, NeedsFiveDifferentX) {
  const std::vector<double> x = {1, 2, 3, 4, 4, 4}, y = {1, 2, 3, 4, 5, 6};
  EXPECT_THROW(fit_broken_line(x, y), ContractError);
  EXPECT_THROW(fit_broken_line(kX, y), ContractError);
}

}  // namespace
}  // namespace speclab::analysis
