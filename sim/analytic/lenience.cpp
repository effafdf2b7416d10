#include "sim/analytic/lenience.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/law_sums.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

void expect_lenience(double lenience) {
  SPECLAB_EXPECT(lenience > 0.0 && lenience <= 1.0,
                 "lenience = " + std::to_string(lenience) + "; allowed: above 0, at most 1");
}

}  // namespace

double lenient_acceptance_rate(std::span<const double> p, std::span<const double> q,
                               double lenience) {
  expect_pair(p, q);
  expect_lenience(lenience);
  return sum_over(p, q, [&](double pi, double qi) { return std::min(qi, pi / lenience); });
}

std::vector<double> lenient_output_distribution(std::span<const double> p,
                                                std::span<const double> q, double lenience,
                                                LenientResidual form) {
  const double rejected = std::max(0.0, 1.0 - lenient_acceptance_rate(p, q, lenience));
  const std::vector<double> residual =
      residual_of(p, q, form == LenientResidual::full ? 1.0 : lenience);
  std::vector<double> output(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    output[i] = std::min(p[i] / lenience, q[i]) + (residual.empty() ? 0.0 : rejected * residual[i]);
  return output;
}

double lenient_distance(std::span<const double> p, std::span<const double> q, double lenience,
                        LenientResidual form) {
  return 0.5 * sum_over(lenient_output_distribution(p, q, lenience, form), p,
                        [](double emitted, double wanted) { return std::abs(emitted - wanted); });
}

double argmax_lenient_acceptance_rate(std::span<const double> p, std::span<const double> q,
                                      double lenience) {
  expect_pair(p, q);
  expect_lenience(lenience);
  const double least = lenience * *std::ranges::max_element(p);
  return sum_over(p, q, [&](double pi, double qi) { return pi >= least ? qi : 0.0; });
}

}  // namespace speclab::sim
