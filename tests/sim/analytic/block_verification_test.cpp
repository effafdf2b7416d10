#include "sim/analytic/block_verification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/analytic/one_token.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Probabilities = std::vector<double>;

TEST(BlockVerification, AcceptsAtLeastWhatTokensOneByOneDoAndTheSameOfOne) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 4), length = values.integer(2, 4);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    EXPECT_GE(block_verification_accepted(p, q, length),
              token_verification_accepted(p, q, length) - 1e-12);
    EXPECT_LE(block_verification_accepted(p, q, length), length + 1e-12);
    EXPECT_NEAR(block_verification_accepted(p, q, 1), acceptance_probability(p, q), 1e-13);
  });
}

/// What p and q can at most agree on over a whole block of n: the overlap of the two laws of n
/// tokens bounds P(all n kept).
TEST(BlockVerification, KeepsAWholeBlockAsOftenAsTheJointLawsOverlap) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 4);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    double kept = 0.0, overlap = 0.0;
    for (int x = 0; x < vocab_size; ++x)
      for (int y = 0; y < vocab_size; ++y) {
        const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
        const double drawn = q[i] * q[j];
        overlap += std::min(p[i] * p[j], drawn);
        if (drawn > 0.0)
          kept += drawn * block_length_law(std::vector{p, p}, std::vector{q, q},
                                           std::vector<Token>{x, y})[2];
      }
    EXPECT_LE(kept, overlap + 1e-13);
    EXPECT_GE(kept, acceptance_probability(p, q) * acceptance_probability(p, q) - 1e-13);
  });
}

TEST(BlockVerification, ReachesItsLimits) {
  const Probabilities law{0.25, 0.75}, left{1, 0}, right{0, 1};
  EXPECT_NEAR(block_verification_accepted(law, law, 5), 5.0, 1e-12);
  EXPECT_EQ(block_verification_accepted(left, right, 3), 0.0);
  EXPECT_EQ(block_verification_accepted(law, left, 0), 0.0);
  EXPECT_EQ(token_verification_accepted(law, left, 0), 0.0);
}

TEST(TokenVerification, IsTheChainsFormula) {
  for_random_values([](RandomValues& values) {
    const Probabilities p = values.law(5), q = values.law(5);
    const int length = values.integer(0, 12);
    EXPECT_NEAR(token_verification_accepted(p, q, length),
                tokens_per_round(acceptance_probability(p, q), length) - 1.0, 1e-13);
  });
}

TEST(BlockLengthLaw, IsALaw) {
  for_random_values([](RandomValues& values) {
    const std::vector<Probabilities> targets{values.law(3), values.law(3), values.law(3)},
        drafts{values.law(3), values.law(3), values.law(3)};
    std::vector<Token> tokens;
    for (const Probabilities& draft : drafts) {
      Token token = values.integer(0, 2);
      while (draft[static_cast<std::size_t>(token)] == 0.0) token = (token + 1) % 3;
      tokens.push_back(token);
    }
    double total = 0.0;
    for (const double chance : block_length_law(targets, drafts, tokens)) {
      EXPECT_GE(chance, 0.0);
      total += chance;
    }
    EXPECT_NEAR(total, 1.0, 1e-13);
  });
}

TEST(BlockVerification, RefusesArgumentsOutOfRange) {
  const Probabilities law{0.5, 0.5};
  for (const auto formula : {block_verification_accepted, token_verification_accepted}) {
    expect_pairs_refused([&](const auto& p, const auto& q) { formula(p, q, 2); });
    EXPECT_THROW(formula(law, law, -1), ContractError);
  }
  EXPECT_THROW(block_verification_accepted(law, law, 30), ContractError) << "2^30 chains";
  EXPECT_THROW(block_length_law(std::vector<Probabilities>{law}, std::vector{law, law},
                                std::vector<Token>{0, 1}),
               ContractError);
  EXPECT_THROW(block_length_law(std::vector{law, law}, std::vector<Probabilities>{law},
                                std::vector<Token>{0, 1}),
               ContractError);
}

}  // namespace
}  // namespace speclab::sim
