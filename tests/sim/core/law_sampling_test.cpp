#include "sim/core/law_sampling.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/core/forking_chance.h"
#include "tests/support/counting_chance.h"
#include "tests/support/scripted_chance.h"

namespace speclab {
namespace {

using speclab::testing::CountingChance;
using speclab::testing::ScriptedChance;
using LawD = BasicLaw<double>;

std::map<Token, double> sampled_law(const LawD& law) {
  ForkingChance chance;
  std::vector<double> scratch;
  std::map<Token, double> result;
  do {
    const Token token = sample(law, {}, chance, scratch);
    result[token] += chance.probability();
  } while (chance.next_path());
  return result;
}

TEST(Sample, FollowsTheLawInEveryForm) {
  EXPECT_EQ(sampled_law(LawD::dense({0.5, 0.0, 0.125, 0.375})),
            (std::map<Token, double>{{0, 0.5}, {2, 0.125}, {3, 0.375}}));
  EXPECT_EQ(sampled_law(LawD::sparse(50000, {{49999, 0.75}, {7, 0.25}})),
            (std::map<Token, double>{{7, 0.25}, {49999, 0.75}}));
  EXPECT_EQ(sampled_law(LawD::point_mass(5, 3)), (std::map<Token, double>{{3, 1.0}}));
}

TEST(Sample, DrawsNothingFromAPointMass) {
  ScriptedChance chance({});
  std::vector<double> scratch;
  EXPECT_EQ(sample(LawD::point_mass(5, 3), {}, chance, scratch), 3);
}

TEST(SampleWithoutReplacement, GivesEveryOrderItsProbability) {
  std::map<std::vector<Token>, double> orders;
  std::vector<double> scratch;
  std::vector<Token> tokens;
  ForkingChance chance;
  do {
    sample_without_replacement(LawD::dense({0.5, 0.25, 0.25}), 2, {}, chance, scratch, tokens);
    orders[tokens] += chance.probability();
  } while (chance.next_path());
  EXPECT_EQ(orders.size(), 6U);
  EXPECT_DOUBLE_EQ((orders[{0, 1}]), 0.5 * 0.5);
  EXPECT_DOUBLE_EQ((orders[{1, 0}]), 0.25 * 2.0 / 3.0);
  EXPECT_DOUBLE_EQ((orders[{1, 2}]), 0.25 / 3.0);
}

TEST(SampleWithoutReplacement, StopsWhenTheLawIsExhausted) {
  PhiloxChance chance(3);
  std::vector<double> scratch;
  std::vector<Token> tokens;
  sample_without_replacement(LawD::sparse(9, {{4, 0.5}, {8, 0.5}}), 5, {}, chance, scratch, tokens);
  std::sort(tokens.begin(), tokens.end());
  EXPECT_EQ(tokens, (std::vector<Token>{4, 8}));
  sample_without_replacement(LawD::point_mass(9, 6), 2, {}, chance, scratch, tokens);
  EXPECT_EQ(tokens, (std::vector<Token>{6}));
}

TEST(SampleWithoutReplacement, UsesAKeyPerDraw) {
  PhiloxChance philox(3);
  CountingChance chance(philox);
  std::vector<double> scratch;
  std::vector<Token> tokens;
  sample_without_replacement(LawD::dense({0.25, 0.25, 0.25, 0.25}), 3, {0, 0, Purpose::draft, 8},
                             chance, scratch, tokens);
  EXPECT_EQ(chance.num_draws(Purpose::draft), 3U);
}

/// Token i with a weight of its own; every third has none.
template <typename Scalar>
BasicLaw<Scalar> uneven_law(std::size_t vocab_size) {
  std::vector<Scalar> values(vocab_size);
  for (std::size_t i = 0; i < vocab_size; ++i)
    values[i] = i % 3 == 1 ? Scalar(0) : static_cast<Scalar>(i * 7919 % 101 + 1);
  const auto total = static_cast<Scalar>(sum(std::span<const Scalar>(values)));
  for (Scalar& value : values) value /= total;
  return BasicLaw<Scalar>::dense(values);
}

template <typename Scalar>
class SampleWithoutReplacementOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SampleWithoutReplacementOf, Scalars);

TYPED_TEST(SampleWithoutReplacementOf, DrawsWhatPassesOverAllThatIsLeftWouldDraw) {
  PhiloxChance chance(11);
  std::vector<TypeParam> scratch;
  std::vector<Token> tokens;
  for (const std::size_t vocab_size : {2U, 511U, 512U, 513U, 1024U, 3000U})
    for (std::uint32_t position = 0; position < 50; ++position) {
      const BasicLaw<TypeParam> law = uneven_law<TypeParam>(vocab_size);
      const StreamKey first{0, position, Purpose::draft, 0};
      sample_without_replacement(law, 40, first, chance, scratch, tokens);
      std::vector<TypeParam> left(law.dense_values().begin(), law.dense_values().end());
      StreamKey key = first;
      for (const Token token : tokens) {
        EXPECT_EQ(static_cast<std::size_t>(token),
                  chance.categorical(key, std::span<const TypeParam>(left)))
            << vocab_size << " tokens, draw " << key.draw;
        left[static_cast<std::size_t>(token)] = 0;
        ++key.draw;
      }
      EXPECT_EQ(tokens.size(),
                std::min<std::size_t>(
                    40, vocab_size == 2 ? 1 : vocab_size));  // of two tokens one has no weight
    }
}

}  // namespace
}  // namespace speclab
