#pragma once
// Sums over a vocabulary that the formulas of acceptance are made of. Laws are taken as they come:
// callers have checked them.

#include <algorithm>
#include <span>
#include <vector>

namespace speclab::sim {

/// Sum of term(p[i], q[i]).
template <typename Term>
double sum_over(std::span<const double> p, std::span<const double> q, Term term) {
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total += term(p[i], q[i]);
  return total;
}

/// sum min(p, q), at most 1 whatever was rounded.
inline double overlap(std::span<const double> p, std::span<const double> q) {
  return std::min(1.0, sum_over(p, q, [](double pi, double qi) { return std::min(pi, qi); }));
}

/// norm max(0, p - scale q), or nothing where that has no mass.
std::vector<double> residual_of(std::span<const double> p, std::span<const double> q, double scale);

/// In [0, 1] whatever was rounded: 1 - (1 - kept)^drafts.
double any_of(double kept, int drafts);

}  // namespace speclab::sim
