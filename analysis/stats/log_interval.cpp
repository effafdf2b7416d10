#include "analysis/stats/log_interval.h"

#include <cmath>

#include "sim/statistics/distributions.h"

namespace speclab::analysis {

std::optional<Interval> log_interval(double value, double standard_error, double degrees) {
  constexpr double kLargestReach = 3;  // a factor of 20
  const double reach =
      standard_error == 0 ? 0 : sim::student_t_quantile(0.975, degrees) * standard_error;
  if (!(reach <= kLargestReach)) return std::nullopt;
  return Interval{value * std::exp(-reach), value * std::exp(reach)};
}

}  // namespace speclab::analysis
