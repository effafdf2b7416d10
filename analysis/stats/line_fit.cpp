#include "analysis/stats/line_fit.h"

#include <Eigen/Core>
#include <cmath>

#include "sim/system/errors.h"

namespace speclab::analysis {

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  SPECLAB_EXPECT(x.size() == y.size() && x.size() >= 2, "two points or more");
  const auto size = static_cast<Eigen::Index>(x.size());
  const Eigen::Map<const Eigen::ArrayXd> xs(x.data(), size), ys(y.data(), size);
  const Eigen::ArrayXd dx = xs - xs.mean(), dy = ys - ys.mean();
  const double xx = dx.square().sum(), yy = dy.square().sum(), xy = (dx * dy).sum();
  SPECLAB_EXPECT(xx > 0 && yy > 0, "values that differ");
  const double slope = xy / xx;
  return {slope, ys.mean() - slope * xs.mean(), xy / std::sqrt(xx * yy),
          std::sqrt((dy - slope * dx).square().mean())};
}

}  // namespace speclab::analysis
