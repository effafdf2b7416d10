#include "sim/analytic/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Probabilities = std::vector<double>;

double total(const Probabilities& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// 1 + min over every set of tokens of p(H) - q(H)^k.
double smallest_cut(const Probabilities& p, const Probabilities& q, int k) {
  double lowest = 0.0;
  for (std::size_t set = 0; set < (std::size_t{1} << p.size()); ++set) {
    double p_mass = 0.0, q_mass = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i)
      if ((set >> i & 1U) != 0) {
        p_mass += p[i];
        q_mass += q[i];
      }
    lowest = std::min(lowest, p_mass - std::pow(q_mass, k));
  }
  return 1.0 + lowest;
}

TEST(OptimalAcceptanceBound, IsTheSmallestCutOverAllSetsOfTokens) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(1, 10), k = values.integer(1, 6);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    EXPECT_NEAR(optimal_acceptance_bound(p, q, k), smallest_cut(p, q, k), 1e-13);
  });
}

TEST(Candidates, OfOneAreTheRatioTestOrAMatch) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(1, 12);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const double ratio = acceptance_probability(p, q);
    for (const auto rule : {multi_step_acceptance, without_replacement_acceptance,
                            spectr_acceptance, optimal_acceptance_bound})
      EXPECT_NEAR(rule(p, q, 1), ratio, 1e-13);
    EXPECT_NEAR(naive_sampling_acceptance(p, q, 1), sample_match_acceptance_rate(p, q), 1e-14);
    EXPECT_NEAR(top_k_sampling_acceptance(p, q, 1), point_mass_acceptance_rate(p, q), 1e-14);
    EXPECT_EQ(spectr_rho(p, q, 1), 1.0);
  });
}

/// SpecInfer's theorem 4.3, SpecTr's guarantee, and what no rule of independent drafts exceeds.
TEST(Candidates, AreOrderedAsTheorySays) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 8), k = values.integer(2, 4);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const double bound = optimal_acceptance_bound(p, q, k),
                 multi_step = multi_step_acceptance(p, q, k), spectr = spectr_acceptance(p, q, k);
    EXPECT_GE(multi_step, naive_sampling_acceptance(p, q, k) - 1e-13);
    EXPECT_LE(multi_step, bound + 1e-13);
    EXPECT_LE(spectr, bound + 1e-13);
    EXPECT_GE(spectr, (1.0 - 1.0 / std::numbers::e) * bound - 1e-13);
    EXPECT_GE(multi_step, multi_step_acceptance(p, q, k - 1) - 1e-13)
        << "one candidate more never hurts";
    EXPECT_GE(spectr, spectr_acceptance(p, q, k - 1) - 1e-13);
  });
}

TEST(Candidates, WithoutEndFindEveryTokenThatQHas) {
  const Probabilities p{0.5, 0.3, 0.2}, q{0.2, 0.3, 0.5}, lacks_one{0.0, 0.4, 0.6};
  constexpr int kMany = 2000;  // (1 - 0.2)^2000 is 0 in double
  EXPECT_NEAR(naive_sampling_acceptance(p, q, kMany), 1.0, 1e-12);
  EXPECT_NEAR(optimal_acceptance_bound(p, q, kMany), 1.0, 1e-12);
  EXPECT_NEAR(naive_sampling_acceptance(p, lacks_one, kMany), 0.5, 1e-12);
  EXPECT_NEAR(optimal_acceptance_bound(p, lacks_one, kMany), 0.5, 1e-12);
  EXPECT_NEAR(spectr_acceptance(p, lacks_one, kMany), 0.5, 1e-12);
}

TEST(Candidates, OfDisjointOrEqualLawsAreNeverOrAlwaysKept) {
  const Probabilities p{1, 0}, disjoint{0, 1};
  for (const auto rule : {naive_sampling_acceptance, multi_step_acceptance, spectr_acceptance,
                          optimal_acceptance_bound})
    EXPECT_EQ(rule(p, disjoint, 3), 0.0);
  for (const auto rule : {multi_step_acceptance, without_replacement_acceptance, spectr_acceptance,
                          optimal_acceptance_bound})
    EXPECT_EQ(rule(Probabilities{0.25, 0.75}, Probabilities{0.25, 0.75}, 2), 1.0);
}

TEST(MultiStep, RanksAddUpAndFallToWhatIsLeft) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 8);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size),
                        ranks = multi_step_rank_acceptance(p, q, 4);
    EXPECT_NEAR(total(ranks), multi_step_acceptance(p, q, 4), 1e-14);
    EXPECT_NEAR(ranks[0] + ranks[1], multi_step_acceptance(p, q, 2), 1e-14)
        << "later candidates do not change earlier ones";
    EXPECT_LE(total(ranks), 1.0 + 1e-14);
  });
}

TEST(SpecTr, TakesTheSmallestRho) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 8), k = values.integer(2, 5);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const double rho = spectr_rho(p, q, k);
    const auto surplus = [&](double at) {
      double kept = 0.0;
      for (std::size_t i = 0; i < p.size(); ++i) kept += std::min(q[i], p[i] / at);
      return at * kept - (1.0 - std::pow(1.0 - kept, k));
    };
    EXPECT_GE(rho, 1.0);
    EXPECT_LE(rho, k);
    if (rho <= 1.0 + 1e-6) return;
    EXPECT_LT(surplus(rho - 1e-6), 0.0);
  });
}

TEST(WithoutReplacement, AcceptsForCertainOnceTheWholeVocabularyIsTried) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(1, 5);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    EXPECT_NEAR(without_replacement_acceptance(p, q, vocab_size), 1.0, 1e-12);
  });
}

TEST(WithoutReplacement, DrawsUniformlyOnceTheDraftLawIsEmpty) {
  // q = (1, 0, 0): token 0 is tried, then 1 or 2 with 1/2 each. Accept p0 = .2; then r = (0, .5,
  // .3)/.8 against (0, .5, .5).
  const Probabilities ranks =
      without_replacement_rank_acceptance(Probabilities{0.2, 0.5, 0.3}, Probabilities{1, 0, 0}, 2);
  EXPECT_NEAR(ranks[0], 0.2, 1e-15);
  EXPECT_NEAR(ranks[1], 0.8 * (0.5 + 0.375), 1e-15);
}

TEST(TopKSampling, TakesTheLikeliestOfTheDraft) {
  EXPECT_EQ(
      top_k_sampling_acceptance(Probabilities{0.1, 0.2, 0.7}, Probabilities{0.3, 0.4, 0.3}, 2),
      0.2 + 0.1)
      << "the lower index on ties";
}

TEST(Candidates, RefuseArgumentsOutOfRange) {
  const Probabilities law{0.5, 0.5};
  for (const auto rule :
       {naive_sampling_acceptance, top_k_sampling_acceptance, multi_step_acceptance,
        without_replacement_acceptance, spectr_rho, spectr_acceptance, optimal_acceptance_bound}) {
    expect_pairs_refused([&](const auto& p, const auto& q) { rule(p, q, 1); });
    expect_refused([&](int k) { rule(law, law, k); }, {0, -1});
  }
  for (const auto rule : {multi_step_rank_acceptance, without_replacement_rank_acceptance}) {
    expect_pairs_refused([&](const auto& p, const auto& q) { rule(p, q, 1); });
    expect_refused([&](int k) { rule(law, law, k); }, {0, -1});
  }
  EXPECT_THROW(without_replacement_rank_acceptance(law, law, 3), ContractError);
  EXPECT_THROW(top_k_sampling_acceptance(law, law, 3), ContractError);
}

}  // namespace
}  // namespace speclab::sim
