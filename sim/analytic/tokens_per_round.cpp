#include "sim/analytic/tokens_per_round.h"

#include <algorithm>
#include <bit>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// γ equal conditional acceptances.
std::vector<double> repeated(double acceptance_rate, int speculation_length) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_at_least(0, speculation_length, "speculation_length");
  return std::vector<double>(static_cast<std::size_t>(speculation_length), acceptance_rate);
}

/// 1 + α + ... + α^(terms - 1) in as many steps as `terms` has bits: twice as many terms are (1 +
/// α^terms) times the sum.
double geometric_sum(double acceptance_rate, unsigned terms) {
  double sum = 0.0;
  double power = 1.0;  // α to the number of terms so far
  for (int bit = std::bit_width(terms) - 1; bit >= 0; --bit) {
    sum *= 1.0 + power;
    power *= power;
    if ((terms >> bit & 1U) == 0U) continue;
    sum += power;
    power *= acceptance_rate;
  }
  return sum;
}

}  // namespace

double tokens_per_round(double acceptance_rate, int speculation_length) {
  expect_probability(acceptance_rate, "acceptance_rate");
  expect_at_least(0, speculation_length, "speculation_length");
  return geometric_sum(acceptance_rate, static_cast<unsigned>(speculation_length) + 1U);
}

std::vector<double> tokens_per_round_pmf(double acceptance_rate, int speculation_length) {
  return tokens_per_round_pmf(repeated(acceptance_rate, speculation_length));
}

double tokens_per_round_from_survival(std::span<const double> survival) {
  double tokens = 1.0;
  double previous = 1.0;
  for (const double value : survival) {
    SPECLAB_EXPECT(value >= 0.0 && value <= previous,
                   "survival must fall from at most 1 to at least 0");
    tokens += previous = value;
  }
  return tokens;
}

std::vector<double> tokens_per_round_pmf(std::span<const double> conditional_acceptance) {
  std::vector<double> pmf;
  double survival = 1.0;
  for (const double acceptance : conditional_acceptance) {
    expect_probability(acceptance, "conditional_acceptance");
    pmf.push_back(survival * (1.0 - acceptance));
    survival *= acceptance;
  }
  pmf.push_back(survival);
  return pmf;
}

double accepted_fraction(double acceptance_rate, int speculation_length) {
  expect_at_least(1, speculation_length, "speculation_length");
  return (tokens_per_round(acceptance_rate, speculation_length) - 1.0) / speculation_length;
}

double expected_rounds(std::span<const double> pmf, int tokens) {
  expect_at_least(0, tokens, "tokens");
  expect_law(pmf, "pmf");
  std::vector<double> rounds(static_cast<std::size_t>(tokens) + 1, 0.0);
  for (std::size_t left = 1; left < rounds.size(); ++left) {
    rounds[left] = 1.0;
    for (std::size_t t = 1; t <= std::min(left, pmf.size()); ++t)
      rounds[left] += pmf[t - 1] * rounds[left - t];
  }
  return rounds.back();
}

}  // namespace speclab::sim
