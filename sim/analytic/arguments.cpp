#include "sim/analytic/arguments.h"

#include <cmath>
#include <string>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

std::string found(double value, std::string_view name) {
  return std::string(name) + " = " + std::to_string(value);
}

/// The sum, after a check that no value is negative.
double total_of(std::span<const double> values, std::string_view name) {
  double total = 0.0;
  for (const double value : values) {
    SPECLAB_EXPECT(value >= 0.0, found(value, name) + "; allowed: >= 0");
    total += value;
  }
  return total;
}

}  // namespace

void expect_probability(double value, std::string_view name) {
  SPECLAB_EXPECT(value >= 0.0 && value <= 1.0, found(value, name) + "; allowed: 0 to 1");
}

void expect_probabilities(std::span<const double> values, std::string_view name) {
  for (const double value : values) expect_probability(value, name);
}

void expect_not_negative(double value, std::string_view name) {
  SPECLAB_EXPECT(value >= 0.0 && std::isfinite(value),
                 found(value, name) + "; allowed: >= 0, finite");
}

void expect_positive(double value, std::string_view name) {
  SPECLAB_EXPECT(value > 0.0 && std::isfinite(value),
                 found(value, name) + "; allowed: > 0, finite");
}

void expect_at_least(long long least, long long value, std::string_view name) {
  SPECLAB_EXPECT(value >= least, std::string(name) + " = " + std::to_string(value) +
                                     "; allowed: >= " + std::to_string(least));
}

void expect_law(std::span<const double> law, std::string_view name) {
  const double total = total_of(law, name);
  SPECLAB_EXPECT(std::abs(total - 1.0) <= 1e-9,
                 found(total, "sum of " + std::string(name)) + "; allowed: 1");
}

void expect_pair(std::span<const double> p, std::span<const double> q) {
  SPECLAB_EXPECT(p.size() == q.size(), "p and q have different vocabularies");
  expect_law(p, "p");
  expect_law(q, "q");
}

void expect_rank_acceptance(std::span<const double> rank_acceptance) {
  const double total = total_of(rank_acceptance, "rank_acceptance");
  SPECLAB_EXPECT(total <= 1.0 + 1e-9,
                 found(total, "sum of rank_acceptance") + "; allowed: at most 1");
}

}  // namespace speclab::sim
