#include "sim/analytic/rule_acceptance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

template <typename Term>
double sum_over(std::span<const double> p, std::span<const double> q, Term term) {
  SPECLAB_EXPECT(p.size() == q.size() && !p.empty(), "p and q are laws over one vocabulary");
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += term(p[i], q[i]);
  return total;
}

/// norm max(0, p - s q), or nothing where that has no mass.
std::vector<double> residual_of(std::span<const double> p, std::span<const double> q, double scale) {
  std::vector<double> residual(p.size());
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += residual[i] = std::max(0.0, p[i] - scale * q[i]);
  if (!(total > 0.0)) return {};
  for (double& probability : residual) probability /= total;
  return residual;
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
    const auto whole = static_cast<std::size_t>(std::ranges::upper_bound(ratios_, scale) - ratios_.begin());
    return r_below_[whole] + scale * (q_below_.back() - q_below_[whole]);
  }

 private:
  std::vector<double> ratios_, r_below_{0.0}, q_below_{0.0};
};

/// Total variation between p and: kept(p, q) of every token, and the rest drawn from `after`.
template <typename Kept>
double distance_of(std::span<const double> p, std::span<const double> q, std::span<const double> after, Kept kept) {
  const double rejected = 1.0 - sum_over(p, q, kept);
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += std::abs(kept(p[i], q[i]) + rejected * after[i] - p[i]);
  return 0.5 * total;
}

double any_of(double kept, int drafts) { return 1.0 - std::pow(1.0 - std::min(kept, 1.0), drafts); }

}  // namespace

double match_acceptance(std::span<const double> p, std::span<const double> q) {
  return sum_over(p, q, [](double pi, double qi) { return pi * qi; });
}

double point_mass_acceptance(std::span<const double> p, std::span<const double> q) {
  SPECLAB_EXPECT(p.size() == q.size() && !p.empty(), "p and q are laws over one vocabulary");
  return p[static_cast<std::size_t>(std::ranges::max_element(q) - q.begin())];
}

double lenient_acceptance(std::span<const double> p, std::span<const double> q, double lenience) {
  return sum_over(p, q, [&](double pi, double qi) { return std::min(qi, pi / lenience); });
}

double typical_threshold(std::span<const double> p, double epsilon, double delta) {
  const double entropy = sum_over(p, p, [](double pi, double) { return pi > 0.0 ? -pi * std::log(pi) : 0.0; });
  return std::min(epsilon, delta * std::exp(-entropy));
}

double typical_acceptance(std::span<const double> p, std::span<const double> q, double epsilon, double delta) {
  const double least = typical_threshold(p, epsilon, delta);
  return sum_over(p, q, [&](double pi, double qi) { return pi > least ? qi : 0.0; });
}

double multi_round_acceptance(std::span<const double> p, std::span<const double> q, int siblings) {
  std::vector<double> left(p.begin(), p.end());
  double none = 1.0;
  for (int i = 0; i < siblings && !left.empty(); ++i) {
    none *= std::max(0.0, 1.0 - sum_over(left, q, [](double a, double b) { return std::min(a, b); }));
    left = residual_of(left, q, 1.0);
  }
  return left.empty() ? 1.0 : 1.0 - none;
}

double two_without_replacement_acceptance(std::span<const double> p, std::span<const double> q) {
  double accepted = sum_over(p, q, [](double a, double b) { return std::min(a, b); });
  const std::vector<double> left = residual_of(p, q, 1.0);
  if (left.empty()) return 1.0;
  const ScaledOverlap second(left, q);
  for (std::size_t x = 0; x < p.size(); ++x)
    if (q[x] > p[x] && q[x] < 1.0) accepted += (q[x] - p[x]) * second(1.0 / (1.0 - q[x]));
  return accepted;
}

double two_naive_acceptance(std::span<const double> p, std::span<const double> q) {
  const auto odds = [](double qi) { return qi < 1.0 ? qi / (1.0 - qi) : 0.0; };
  const double total = sum_over(q, q, [&](double qi, double) { return odds(qi); });
  return sum_over(p, q, [&](double pi, double qi) { return pi * qi * (1.0 + (qi < 1.0 ? total - odds(qi) : 0.0)); });
}

double several_drafts_acceptance(std::span<const double> p, std::span<const double> q, int drafts) {
  const auto kept = [&](double rho) { return sum_over(p, q, [&](double a, double b) { return std::min(b, a / rho); }); };
  double low = 1.0, high = drafts;
  const auto holds = [&](double rho) { return any_of(kept(rho), drafts) <= rho * kept(rho); };
  if (holds(low)) return any_of(kept(low), drafts);
  while (high - low > 1e-10) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? high : low) = middle;
  }
  return any_of(kept(high), drafts);
}

double lenient_distance(std::span<const double> p, std::span<const double> q, double lenience, LenientResidual form) {
  const std::vector<double> residual = residual_of(p, q, form == LenientResidual::full ? 1.0 : lenience);
  return distance_of(p, q, residual.empty() ? p : std::span<const double>(residual), [&](double pi, double qi) { return std::min(qi, pi / lenience); });
}

double typical_distance(std::span<const double> p, std::span<const double> q, double epsilon, double delta) {
  const double least = typical_threshold(p, epsilon, delta);
  return distance_of(p, q, p, [&](double pi, double qi) { return pi > least ? qi : 0.0; });
}

double lossy_distance(const std::string& rule, std::span<const double> p, std::span<const double> q, const LossyRuleOptions& options) {
  if (rule == "typical") return typical_distance(p, q, options.typical_epsilon, options.typical_delta);
  SPECLAB_EXPECT(rule == "lenient", "no closed form for the distance of " + rule);
  return lenient_distance(p, q, options.lenience, options.lenient_residual);
}

std::vector<double> accepted_length_law(std::span<const double> stands) {
  std::vector<double> law;
  double reached = 1.0;
  for (const double stand : stands) {
    law.push_back(reached * (1.0 - stand));
    reached *= stand;
  }
  law.push_back(reached);
  return law;
}

std::vector<double> block_length_law(std::span<const std::vector<double>> target_laws, std::span<const std::vector<double>> draft_laws, std::span<const Token> tokens) {
  SPECLAB_EXPECT(draft_laws.size() == tokens.size() && target_laws.size() >= tokens.size(), "a law a token");
  std::vector<double> kept;
  double joint = 1.0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto token = static_cast<std::size_t>(tokens[i]);
    joint = std::min(1.0, joint * target_laws[i][token] / draft_laws[i][token]);
    if (i + 1 == tokens.size()) {
      kept.push_back(joint);
      break;
    }
    const double surplus = sum_over(target_laws[i + 1], draft_laws[i + 1], [&](double a, double b) { return std::max(0.0, joint * a - b); });
    kept.push_back(surplus > 0.0 ? surplus / (surplus + (1.0 - joint)) : 0.0);
  }
  std::vector<double> law(tokens.size() + 1);
  double none_after = 1.0;
  for (std::size_t i = tokens.size(); i > 0; --i) {
    law[i] = kept[i - 1] * none_after;
    none_after *= 1.0 - kept[i - 1];
  }
  law[0] = none_after;
  return law;
}

}  // namespace speclab::sim
