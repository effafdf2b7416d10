#include "sim/analytic/one_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/core/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Probabilities = std::vector<double>;

double total_of(const Probabilities& law) { return std::accumulate(law.begin(), law.end(), 0.0); }

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

TEST(ResidualDistribution, IsALawThatLivesWherePExceedsQAndCompletesTheKeptDrafts) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 20);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size),
                        residual = residual_distribution(p, q);
    const double rejected = lk_divergence(p, q);
    EXPECT_NEAR(total_of(residual), 1.0, 1e-12);
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_NEAR(std::min(p[i], q[i]) + rejected * residual[i], p[i], 1e-14)
          << "the rule is exact";
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

TEST(ValueDependentDrop, IsALawButNotTheTargets) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 8);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const auto kept = static_cast<std::size_t>(values.integer(0, vocab_size - 1));
    const Probabilities output = value_dependent_drop_output(p, q, static_cast<Token>(kept));
    EXPECT_NEAR(total_of(output), 1.0, 1e-12);
    // Dropping costs the law exactly the p-mass that kept drafts of the token already stood for.
    EXPECT_NEAR(output[kept] - p[kept], std::min(p[kept], q[kept]) - q[kept] * p[kept], 1e-14);
  });
}

TEST(ValueDependentDrop, IsHarmlessForATokenThatIsNeverOrAlwaysDrafted) {
  const Probabilities p{0.3, 0.7};
  EXPECT_EQ(value_dependent_drop_output(p, Probabilities{0, 1}, 0), p);
  const Probabilities always = value_dependent_drop_output(p, Probabilities{1, 0}, 0);
  EXPECT_NEAR(always[0], 0.3, 1e-15);
  EXPECT_GT(value_dependent_drop_output(p, p, 0)[0], 0.5)
      << "even with the target's own drafts the law changes";
}

TEST(OneToken, RefusesWhatIsNoLaw) {
  expect_pairs_refused([](const auto& p, const auto& q) { lk_divergence(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { acceptance_probability(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { residual_distribution(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { sample_match_acceptance_rate(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { point_mass_acceptance_rate(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { noniterative_acceptance_rate(p, q); });
  expect_pairs_refused([](const auto& p, const auto& q) { value_dependent_drop_output(p, q, 0); });
  expect_refused([](const auto& p) { point_mass_acceptance_rate(p, 0); }, kNoLaw);
}

TEST(OneToken, RefusesTokensBeyondTheVocabularyAndAnEmptyResidual) {
  const Probabilities p{0.5, 0.5};
  expect_refused([&](Token token) { point_mass_acceptance_rate(p, token); }, {-1, 2});
  expect_refused([&](Token token) { value_dependent_drop_output(p, p, token); }, {-1, 2});
  EXPECT_THROW(residual_distribution(p, p), ContractError);
}

}  // namespace
}  // namespace speclab::sim
