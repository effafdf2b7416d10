#include "sim/core/chance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/system/errors.h"

namespace speclab {
namespace {

StreamKey key(std::uint32_t draw) { return {0, 0, Purpose::target, draw}; }

TEST(PhiloxChance, NeverAcceptsAtProbabilityZeroAndAlwaysAtOne) {
  PhiloxChance chance(1);
  for (std::uint32_t draw = 0; draw < 1000; ++draw) {
    EXPECT_FALSE(chance.bernoulli(key(draw), 0.0));
    EXPECT_TRUE(chance.bernoulli(key(draw), 1.0));
  }
}

// Pearson's statistic with 3 degrees of freedom exceeds 16.27 with probability 0.001 when the law
// is right; a shift of 0.02 in one probability would push it above that with probability > 0.999 at
// this n.
TEST(PhiloxChance, DrawsCategoriesInProportionToUnnormalisedWeights) {
  const std::vector<double> weights{1.0, 0.0, 2.0, 4.0, 1.0};
  std::vector<double> counts(weights.size(), 0.0);
  PhiloxChance chance(20261121);
  constexpr int kDraws = 40000;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw)
    counts[chance.categorical(key(draw), std::span<const double>(weights))] += 1.0;
  EXPECT_EQ(counts[1], 0.0);
  double statistic = 0.0;
  for (const std::size_t i : {0U, 2U, 3U, 4U})
    statistic += std::pow(counts[i] - kDraws * weights[i] / 8.0, 2) / (kDraws * weights[i] / 8.0);
  EXPECT_LT(statistic, 16.27);
}

TEST(PhiloxChance, InvertsTheCumulativeSumOfALongLawExactly) {
  std::vector<float> weights(49152);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = i % 3 == 0 ? 0.0F : static_cast<float>(i % 7) / 8.0F;
  double total = 0.0;
  for (const float weight : weights) total += weight;
  PhiloxChance chance(5);
  for (std::uint32_t draw = 0; draw < 200; ++draw) {
    const double threshold = RngStream(5).uniform(key(draw)) * total;
    double cumulative = 0.0;
    std::size_t expected = 0;
    while ((cumulative += weights[expected]) <= threshold) ++expected;
    EXPECT_EQ(chance.categorical(key(draw), std::span<const float>(weights)), expected);
  }
}

TEST(PhiloxChance, FindsASinglePositiveWeightWhereverItIs) {
  for (const std::size_t place : {0U, 511U, 512U, 1300U}) {
    std::vector<float> weights(1301, 0.0F);
    weights[place] = 1e-38F;
    PhiloxChance chance(place);
    EXPECT_EQ(chance.categorical(key(1), std::span<const float>(weights)), place);
  }
}

TEST(PhiloxChance, RefusesWeightsWithoutMassOrNotFinite) {
  PhiloxChance chance(1);
  const auto draw = [&](std::vector<double> weights) {
    return chance.categorical(key(0), std::span<const double>(weights));
  };
  EXPECT_THROW(draw({}), ContractError);
  EXPECT_THROW(draw({0.0, 0.0}), ContractError);
  EXPECT_THROW(draw({1.0, std::nan("")}), ContractError);
  EXPECT_THROW(draw({1.0, std::numeric_limits<double>::infinity()}), ContractError);
}

}  // namespace
}  // namespace speclab
