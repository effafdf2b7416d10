#include "sim/analytic/rule_acceptance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/analytic/arguments.h"
#include "sim/analytic/law_sums.h"
#include "sim/analytic/lenience.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// sum min(r, s q) as a function of the scale s, after one sort by r/q.
class ScaledOverlap {
 public:
  ScaledOverlap(std::span<const double> r, std::span<const double> q) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (r[i] > 0.0 && q[i] > 0.0) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return r[i] / q[i]; });
    for (const std::size_t i : order) {
      ratios_.push_back(r[i] / q[i]);
      r_below_.push_back(r_below_.back() + r[i]);
      q_below_.push_back(q_below_.back() + q[i]);
    }
  }
  double operator()(double scale) const {
    const auto whole =
        static_cast<std::size_t>(std::ranges::upper_bound(ratios_, scale) - ratios_.begin());
    return r_below_[whole] + scale * (q_below_.back() - q_below_[whole]);
  }

 private:
  std::vector<double> ratios_, r_below_{0.0}, q_below_{0.0};
};

}  // namespace

double typical_threshold(std::span<const double> p, double epsilon, double delta) {
  expect_law(p, "p");
  expect_probability(epsilon, "epsilon");
  expect_not_negative(delta, "delta");
  const double entropy =
      sum_over(p, p, [](double pi, double) { return pi > 0.0 ? -pi * std::log(pi) : 0.0; });
  return std::min(epsilon, delta * std::exp(-entropy));
}

double typical_acceptance(std::span<const double> p, std::span<const double> q, double epsilon,
                          double delta) {
  expect_pair(p, q);
  const double least = typical_threshold(p, epsilon, delta);
  return sum_over(p, q, [&](double pi, double qi) { return pi > least ? qi : 0.0; });
}

double two_without_replacement_acceptance(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  double accepted = overlap(p, q);
  const std::vector<double> left = residual_of(p, q, 1.0);
  if (left.empty()) return 1.0;
  const ScaledOverlap second(left, q);
  for (std::size_t x = 0; x < p.size(); ++x)
    if (q[x] > p[x] && q[x] < 1.0) accepted += (q[x] - p[x]) * second(1.0 / (1.0 - q[x]));
  return accepted;
}

double two_naive_acceptance(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  const auto odds = [](double qi) { return qi < 1.0 ? qi / (1.0 - qi) : 0.0; };
  const double total = sum_over(q, q, [&](double qi, double) { return odds(qi); });
  return sum_over(p, q, [&](double pi, double qi) {
    return pi * qi * (1.0 + (qi < 1.0 ? total - odds(qi) : 0.0));
  });
}

double typical_distance(std::span<const double> p, std::span<const double> q, double epsilon,
                        double delta) {
  const double least = typical_threshold(p, epsilon, delta);
  const double rejected = 1.0 - typical_acceptance(p, q, epsilon, delta);
  return 0.5 * sum_over(p, q, [&](double pi, double qi) {
           return std::abs((pi > least ? qi : 0.0) + rejected * pi - pi);
         });
}

double lossy_distance(const std::string& rule, std::span<const double> p, std::span<const double> q,
                      const LossyRuleOptions& options) {
  if (rule == "typical")
    return typical_distance(p, q, options.typical_epsilon, options.typical_delta);
  SPECLAB_EXPECT(rule == "lenient", "no closed form for the distance of " + rule);
  return lenient_distance(p, q, options.lenience, options.lenient_residual);
}

}  // namespace speclab::sim
