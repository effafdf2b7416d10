#include "sim/analytic/law_sums.h"

#include <cmath>

namespace speclab::sim {

std::vector<double> residual_of(std::span<const double> p, std::span<const double> q,
                                double scale) {
  std::vector<double> residual(p.size());
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    total += residual[i] = std::max(0.0, p[i] - scale * q[i]);
  if (!(total > 0.0)) return {};
  for (double& probability : residual) probability /= total;
  return residual;
}

double any_of(double kept, int drafts) { return 1.0 - std::pow(1.0 - std::min(kept, 1.0), drafts); }

}  // namespace speclab::sim
