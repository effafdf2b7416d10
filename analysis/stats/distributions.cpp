#include "analysis/stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace speclab::analysis {

double student_t_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

double fair_coin_cdf(int successes, int trials) { return boost::math::cdf(boost::math::binomial(trials, 0.5), successes); }

}  // namespace speclab::analysis
