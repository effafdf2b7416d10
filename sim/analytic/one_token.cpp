#include "sim/analytic/one_token.h"

#include <algorithm>
#include <cmath>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

std::size_t index_in(std::span<const double> p, Token token) {
  SPECLAB_EXPECT(
      token >= 0 && static_cast<std::size_t>(token) < p.size(),
      "token " + std::to_string(token) + "; allowed: 0 to " + std::to_string(p.size() - 1));
  return static_cast<std::size_t>(token);
}

void expect_lenience(double lenience) {
  SPECLAB_EXPECT(lenience > 0.0 && lenience <= 1.0,
                 "lenience = " + std::to_string(lenience) + "; allowed: above 0, at most 1");
}

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

double lk_divergence(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return 0.5 * sum_over(p, q, [](double pi, double qi) { return std::abs(pi - qi); });
}

double acceptance_probability(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return overlap(p, q);
}

double sample_match_acceptance_rate(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return sum_over(p, q, [](double pi, double qi) { return pi * qi; });
}

double point_mass_acceptance_rate(std::span<const double> p, Token draft_token) {
  expect_law(p, "p");
  return p[index_in(p, draft_token)];
}

double point_mass_acceptance_rate(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  return p[static_cast<std::size_t>(std::ranges::max_element(q) - q.begin())];
}

double noniterative_acceptance_rate(std::span<const double> p, std::span<const double> q) {
  expect_pair(p, q);
  double least = 1.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0.0) least = std::min(least, q[i] / p[i]);
  return least;
}

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
