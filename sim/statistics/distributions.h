#pragma once
// The few distribution functions that intervals need; the only door to Boost.Math.

namespace speclab::sim {

/// Quantile of Student's t. @param probability in (0, 1) @param degrees_of_freedom > 0
double student_t_quantile(double probability, double degrees_of_freedom);

/// P(X > statistic) for X of Student's t. @param degrees_of_freedom > 0
double student_t_tail(double statistic, double degrees_of_freedom);

/// P(X > statistic) for X of Fisher's F. @param numerator_degrees, denominator_degrees  > 0
double f_tail(double statistic, double numerator_degrees, double denominator_degrees);

/// Quantile of a beta law. @param probability in [0, 1] @param a, b > 0
double beta_quantile(double probability, double a, double b);

/// P(at most `successes` of `trials` coins that succeed with `probability`). @param successes in
/// [0, trials]
double binomial_cdf(int successes, int trials, double probability);

/// The same of fair coins.
double fair_coin_cdf(int successes, int trials);

/// P(X >= statistic) for X chi-squared. @param degrees >= 1
double chi_squared_tail(double statistic, int degrees);

/// Noncentrality at which a chi-squared test of level `alpha` misses with probability `miss`.
/// @param degrees >= 1
double chi_squared_noncentrality(int degrees, double alpha, double miss);

}  // namespace speclab::sim
