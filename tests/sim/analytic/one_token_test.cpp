#include "sim/analytic/one_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Probabilities = std::vector<double>;

TEST(LkDivergence, IsOneForDisjointSupportsAndZeroForEqualLaws) {
  EXPECT_EQ(lk_divergence(Probabilities{1, 0}, Probabilities{0, 1}), 1.0);
  EXPECT_EQ(lk_divergence(Probabilities{0.25, 0.75}, Probabilities{0.25, 0.75}), 0.0);
  EXPECT_EQ(acceptance_probability(Probabilities{1, 0}, Probabilities{0, 1}), 0.0);
}

TEST(LkDivergence, IsSymmetricAndOneLessTheAcceptance) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(1, 20);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    EXPECT_NEAR(lk_divergence(p, q), lk_divergence(q, p), 1e-15);
    EXPECT_NEAR(acceptance_probability(p, q), 1.0 - lk_divergence(p, q), 1e-14);
    EXPECT_NEAR(lk_divergence(p, p), 0.0, 1e-15);
  });
}

TEST(OtherExactRules, KeepAtMostWhatTheRatioTestKeeps) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(1, 20);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const double ratio = acceptance_probability(p, q);
    EXPECT_LE(sample_match_acceptance_rate(p, q), ratio + 1e-14);
    EXPECT_LE(noniterative_acceptance_rate(p, q), ratio + 1e-14);
    EXPECT_EQ(
        point_mass_acceptance_rate(p, q),
        point_mass_acceptance_rate(p, static_cast<Token>(std::ranges::max_element(q) - q.begin())));
  });
}

TEST(OtherExactRules, ReachTheirLimits) {
  const Probabilities law{0.2, 0.8}, point{0.0, 1.0};
  EXPECT_EQ(noniterative_acceptance_rate(law, law), 1.0);
  EXPECT_EQ(noniterative_acceptance_rate(law, point), 0.0) << "q lacks a token of p";
  EXPECT_EQ(noniterative_acceptance_rate(point, law), 0.8) << "tokens that p lacks do not count";
  EXPECT_EQ(sample_match_acceptance_rate(point, point), 1.0);
  EXPECT_EQ(point_mass_acceptance_rate(law, Probabilities{0.5, 0.5}), 0.2)
      << "the lowest index on ties";
}

TEST(OneToken, RefusesWhatIsNoLaw) {
  expect_pairs_refused([](const auto& p, const auto& q) { lk_divergence(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { acceptance_probability(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { sample_match_acceptance_rate(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { point_mass_acceptance_rate(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { noniterative_acceptance_rate(p, q); });
  expect_refused([](const auto& p) { point_mass_acceptance_rate(p, 0); }, kNoLaw);
}

TEST(OneToken, RefusesTokensBeyondTheVocabulary) {
  const Probabilities p{0.5, 0.5};
  expect_refused([&](Token token) { point_mass_acceptance_rate(p, token); }, {-1, 2});
}

}  // namespace
}  // namespace speclab::sim
