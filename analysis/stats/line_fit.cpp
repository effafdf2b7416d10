#include "analysis/stats/line_fit.h"

#include <Eigen/Core>
#include <Eigen/Dense>
#include <cmath>
#include <set>
#include <vector>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// The lines that meet at `breakpoint`.
BrokenLineFit fit_at(const Eigen::VectorXd& x, const Eigen::VectorXd& y, double breakpoint) {
  Eigen::MatrixXd terms(x.size(), 3);
  terms.col(0).setOnes();
  terms.col(1) = x;
  terms.col(2) = (x.array() - breakpoint).cwiseMax(0.0);
  const Eigen::Vector3d fit = terms.colPivHouseholderQr().solve(y);
  return {fit[0], fit[1], fit[1] + fit[2], breakpoint,
          std::sqrt((y - terms * fit).squaredNorm() / static_cast<double>(x.size()))};
}

}  // namespace

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

BrokenLineFit fit_broken_line(std::span<const double> x, std::span<const double> y) {
  const std::set<double> distinct(x.begin(), x.end());
  SPECLAB_EXPECT(x.size() == y.size() && distinct.size() >= 5,
                 "five different x or more, with a y each");
  const auto size = static_cast<Eigen::Index>(x.size());
  const Eigen::VectorXd xs = Eigen::Map<const Eigen::VectorXd>(x.data(), size),
                        ys = Eigen::Map<const Eigen::VectorXd>(y.data(), size);
  const std::vector<double> candidates(std::next(distinct.begin(), 2),
                                       std::prev(distinct.end(), 2));
  BrokenLineFit best = fit_at(xs, ys, candidates.front());
  for (const double breakpoint : candidates)
    if (const BrokenLineFit fit = fit_at(xs, ys, breakpoint); fit.rms_error < best.rms_error)
      best = fit;
  return best;
}

}  // namespace speclab::analysis
