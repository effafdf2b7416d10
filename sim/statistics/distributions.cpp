#include "sim/statistics/distributions.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace speclab::sim {

double student_t_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

double student_t_tail(double statistic, double degrees_of_freedom) {
  return boost::math::cdf(
      boost::math::complement(boost::math::students_t(degrees_of_freedom), statistic));
}

double f_tail(double statistic, double numerator_degrees, double denominator_degrees) {
  return boost::math::cdf(boost::math::complement(
      boost::math::fisher_f(numerator_degrees, denominator_degrees), statistic));
}

double beta_quantile(double probability, double a, double b) {
  return boost::math::quantile(boost::math::beta_distribution<double>(a, b), probability);
}

double chi_squared_tail(double statistic, int degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

double chi_squared_noncentrality(int degrees, double alpha, double miss) {
  const double threshold =
      boost::math::quantile(boost::math::complement(boost::math::chi_squared(degrees), alpha));
  double low = 0.0, high = 1.0;
  const auto missed = [&](double noncentrality) {
    return boost::math::cdf(boost::math::non_central_chi_squared(degrees, noncentrality),
                            threshold);
  };
  while (missed(high) > miss) high *= 2.0;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (missed(middle) > miss ? low : high) = middle;
  }
  return high;
}

double binomial_cdf(int successes, int trials, double probability) {
  return boost::math::cdf(boost::math::binomial(trials, probability), successes);
}

double fair_coin_cdf(int successes, int trials) { return binomial_cdf(successes, trials, 0.5); }

}  // namespace speclab::sim
