// The statistics of `speclab verify` on texts of a known law: the fake engines' law is uniform over 256 tokens.
#include "experiments/drivers/verify/sampled_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/fake_engines.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kTokens = 4000;

/// One text in rounds of 1 to 4 tokens. @param shift  total variation: even sixteenths of the vocabulary are likelier, odd ones rarer
SampledText text_of(std::uint32_t seed, double shift) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return std::uniform_real_distribution<double>()(random); };
  SampledText sampled{{{0}, 1}, {}};
  while (sampled.text.ids.size() < kTokens + 1) {
    sampled.emitted.push_back(static_cast<std::int32_t>(1 + random() % 4));
    for (int i = 0; i < sampled.emitted.back(); ++i) {
      const bool even = uniform() < 0.5 * (1.0 + 2.0 * shift);
      sampled.text.ids.push_back(static_cast<Token>((random() % 8) * 32 + (even ? 0 : 16) + random() % 16));
    }
  }
  sampled.emitted.back() -= static_cast<std::int32_t>(sampled.text.ids.size() - kTokens - 1);
  sampled.text.ids.resize(kTokens + 1);
  return sampled;
}

class SampledLawTest : public ::testing::Test {
 protected:
  SampledLaw test(std::uint32_t seed, double shift) { return test_sampled_law(engines_, *model_.model, {}, {text_of(seed, shift)}, seed); }

  testing::FakeEngines engines_{std::make_shared<testing::FakeEnginesState>()};
  engines::LoadedModel model_ = engines_.load_model({.model = "fake"});
};

/// With p uniform, more than 24 of 200 below 0.05 happen with a probability of 2e-5 a test; the seeds are fixed.
TEST_F(SampledLawTest, FindsNothingInTextsOfTheLaw) {
  std::vector<int> below(3, 0);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const SampledLaw law = test(seed, 0.0);
    EXPECT_EQ(law.tokens, static_cast<std::int64_t>(kTokens));
    EXPECT_TRUE(law.fits());
    for (std::size_t i = 0; i < below.size(); ++i) below[i] += law.tests[i].p.value() < 0.05;
  }
  for (const int count : below) EXPECT_LE(count, 24);
  EXPECT_GT(*std::ranges::max_element(below), 0);
}

TEST_F(SampledLawTest, FindsTheShiftThatItPromisesToFind) {
  const double promised = test(0, 0.0).tests[0].smallest_shift.value();
  EXPECT_GT(promised, 0.03);
  EXPECT_LT(promised, 0.15);
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    EXPECT_FALSE(test(seed, promised).fits()) << seed;
    EXPECT_TRUE(test(seed, 0.1 * promised).fits()) << seed;
  }
}

}  // namespace
}  // namespace speclab::experiments
