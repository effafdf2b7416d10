#include "sim/analytic/warped_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/analytic/one_token.h"
#include "sim/core/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Probabilities = std::vector<double>;

std::vector<double> random_logits(RandomValues& values, int vocab_size) {
  std::vector<double> logits;
  for (int i = 0; i < vocab_size; ++i) logits.push_back(values.uniform(-8.0, 8.0));
  return logits;
}

TEST(Softmax, OfTemperatureZeroAndInfinityArePointAndUniform) {
  const std::vector<double> logits{1.0, 3.0, 3.0, -2.0};
  EXPECT_EQ(softmax_with_temperature(logits, 0.0), (Probabilities{0, 1, 0, 0}))
      << "the lowest index on ties";
  for (const double probability : softmax_with_temperature(logits, 1e12))
    EXPECT_NEAR(probability, 0.25, 1e-11);
  EXPECT_NEAR(softmax_with_temperature(logits, 1e-3)[1], 0.5, 1e-15);
}

TEST(Softmax, IgnoresAShiftAndDividesTheLogOdds) {
  for_random_values([](RandomValues& values) {
    std::vector<double> logits = random_logits(values, 5);
    const double temperature = values.uniform(0.1, 3.0);
    const Probabilities law = softmax_with_temperature(logits, temperature);
    EXPECT_NEAR(std::accumulate(law.begin(), law.end(), 0.0), 1.0, 1e-14);
    EXPECT_NEAR(std::log(law[0] / law[1]), (logits[0] - logits[1]) / temperature, 1e-9);
    for (double& logit : logits) logit += 700.0;
    const Probabilities shifted = softmax_with_temperature(logits, temperature);
    for (std::size_t i = 0; i < law.size(); ++i) EXPECT_NEAR(shifted[i], law[i], 1e-12);
  });
}

TEST(Softmax, LeavesOutWhatIsForbidden) {
  const Probabilities law =
      softmax_with_temperature(std::vector<double>{0.0, -kInfinity, 0.0}, 1.0);
  EXPECT_EQ(law, (Probabilities{0.5, 0.0, 0.5}));
}

TEST(TopK, KeepsOddsAndCount) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 10), k = values.integer(1, vocab_size);
    const Probabilities p = values.law(vocab_size), cut = top_k_distribution(p, k);
    EXPECT_NEAR(std::accumulate(cut.begin(), cut.end(), 0.0), 1.0, 1e-14);
    EXPECT_LE(std::ranges::count_if(cut, [](double probability) { return probability > 0.0; }), k);
    EXPECT_EQ(std::ranges::max_element(cut) - cut.begin(), std::ranges::max_element(p) - p.begin());
    EXPECT_EQ(
        top_k_distribution(p, 1)[static_cast<std::size_t>(std::ranges::max_element(p) - p.begin())],
        1.0);
    EXPECT_NEAR(lk_divergence(top_k_distribution(p, vocab_size + 5), p), 0.0, 1e-15);
  });
}

TEST(TopP, KeepsTheSmallestSetThatReachesTheMass) {
  for_random_values([](RandomValues& values) {
    const Probabilities p = values.law(values.integer(2, 10));
    const double top_p = values.uniform(0.05, 0.99);
    const Probabilities cut = top_p_distribution(p, top_p);
    double kept = 0.0, least = 1.0;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (cut[i] > 0.0) {
        kept += p[i];
        least = std::min(least, p[i]);
      }
    EXPECT_GE(kept, top_p - 1e-12);
    EXPECT_LT(kept - least, top_p + 1e-12) << "one token fewer would not reach it";
    EXPECT_NEAR(lk_divergence(top_p_distribution(p, 1.0), p), 0.0, 1e-12);
  });
}

TEST(AcceptanceOfLogits, IsOneForEqualLogitsAndOneOrZeroAtTemperatureZero) {
  const std::vector<double> a{1.0, 2.0, 0.5}, b{3.0, 0.0, 0.0};
  EXPECT_NEAR(acceptance_probability_of_logits(a, a, 0.7), 1.0, 1e-15);
  EXPECT_EQ(acceptance_probability_of_logits(a, b, 0.0), 0.0);
  EXPECT_NEAR(acceptance_probability_of_logits(a, b, 1e9), 1.0, 1e-8)
      << "every law is uniform when hot";
}

TEST(WarpedLaw, RefusesArgumentsOutOfRange) {
  const std::vector<double> logits{0.0, 1.0};
  const Probabilities law{0.5, 0.5};
  expect_refused([&](double temperature) { softmax_with_temperature(logits, temperature); },
                 kNegative);
  const std::vector<std::vector<double>> no_logits{
      {}, {kNan, 0.0}, {kInfinity, 0.0}, {-kInfinity, -kInfinity}};
  expect_refused([](const auto& broken) { softmax_with_temperature(broken, 1.0); }, no_logits);
  expect_refused([](const auto& p) { top_k_distribution(p, 1); }, kNoLaw);
  expect_refused([](const auto& p) { top_p_distribution(p, 0.5); }, kNoLaw);
  expect_refused([&](int k) { top_k_distribution(law, k); }, {0, -1});
  expect_refused([&](double top_p) { top_p_distribution(law, top_p); }, {0.0, -0.1, 1.1, kNan});
  EXPECT_THROW(acceptance_probability_of_logits(logits, std::vector<double>{0.0}, 1.0),
               ContractError);
}

}  // namespace
}  // namespace speclab::sim
