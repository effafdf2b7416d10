#include "analysis/stats/line_fit.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

TEST(LineFit, GoesThroughPointsOnALine) {
  const LineFit fit = fit_line(std::array{1.0, 2.0, 4.0}, std::array{5.0, 3.0, -1.0});
  EXPECT_NEAR(fit.slope, -2.0, 1e-12);
  EXPECT_NEAR(fit.intercept, 7.0, 1e-12);
  EXPECT_NEAR(fit.correlation, -1.0, 1e-12);
  EXPECT_NEAR(fit.rms_error, 0.0, 1e-12);
}

/// The first of Anscombe's four sets of data, whose line is known to three digits.
TEST(LineFit, IsThatOfAnscombesData) {
  constexpr std::array x{10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0};
  constexpr std::array y{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  const LineFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.slope, 0.500, 5e-4);
  EXPECT_NEAR(fit.intercept, 3.00, 5e-3);
  EXPECT_NEAR(fit.correlation, 0.816, 5e-4);
  EXPECT_NEAR(fit.rms_error * fit.rms_error * 11, 13.763, 5e-3)
      << "the sum of squares that is left";
}

TEST(LineFit, RefusesPointsWithoutALine) {
  EXPECT_THROW(fit_line(std::array{1.0}, std::array{1.0}), ContractError);
  EXPECT_THROW(fit_line(std::array{1.0, 2.0}, std::array{1.0, 2.0, 3.0}), ContractError);
  EXPECT_THROW(fit_line(std::array{1.0, 1.0}, std::array{1.0, 2.0}), ContractError);
  EXPECT_THROW(fit_line(std::array{1.0, 2.0}, std::array{3.0, 3.0}), ContractError);
}

}  // namespace
}  // namespace speclab::analysis
