#include "sim/analytic/one_token.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/analytic/candidates.h"
#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

using Probabilities = std::vector<double>;

TEST(LkDivergence, IsOneForDisjointSupportsAndZeroForEqualLaws) {
  EXPECT_EQ(lk_divergence(Probabilities{1, 0}, Probabilities{0, 1}), 1.0);
  EXPECT_EQ(lk_divergence(Probabilities{0.25, 0.75}, Probabilities{0.25, 0.75}), 0.0);
  EXPECT_EQ(acceptance_probability(Probabilities{1, 0}, Probabilities{0, 1}), 0.0);
}

TEST(OneToken, RefusesWhatIsNoLaw) {
  EXPECT_THROW(lk_divergence(Probabilities{0.5, 0.4}, Probabilities{0.5, 0.5}), ContractError);
  EXPECT_THROW(lk_divergence(Probabilities{1.5, -0.5}, Probabilities{0.5, 0.5}), ContractError);
  EXPECT_THROW(acceptance_probability(Probabilities{1.0}, Probabilities{0.5, 0.5}), ContractError);
  EXPECT_THROW(residual_distribution(Probabilities{0.5, 0.5}, Probabilities{0.5, 0.5}), ContractError);
  EXPECT_THROW(without_replacement_rank_acceptance(Probabilities{0.5, 0.5}, Probabilities{0.5, 0.5}, 3), ContractError);
}

TEST(WithoutReplacement, AcceptsForCertainOnceTheWholeVocabularyIsTried) {
  const Probabilities ranks = without_replacement_rank_acceptance(Probabilities{0.1, 0.2, 0.3, 0.4}, Probabilities{0.7, 0.1, 0.1, 0.1}, 4);
  EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, 1e-12);
  EXPECT_NEAR(ranks[0], acceptance_probability(Probabilities{0.1, 0.2, 0.3, 0.4}, Probabilities{0.7, 0.1, 0.1, 0.1}), 1e-15);
}

TEST(WithoutReplacement, DrawsUniformlyOnceTheDraftLawIsEmpty) {
  // q = (1, 0, 0): token 0 is tried, then 1 or 2 with 1/2 each. Accept p0 = .2; then r = (0, .5, .3)/.8 against (0, .5, .5).
  const Probabilities ranks = without_replacement_rank_acceptance(Probabilities{0.2, 0.5, 0.3}, Probabilities{1, 0, 0}, 2);
  EXPECT_NEAR(ranks[0], 0.2, 1e-15);
  EXPECT_NEAR(ranks[1], 0.8 * (0.5 + 0.375), 1e-15);
}

}  // namespace
}  // namespace speclab::sim
