// The statistics of `speclab verify` on texts of a known law: the fake engines' law is uniform over
// 256 tokens.
#include "experiments/drivers/verify/verification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/fake_engines.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using speclab::testing::by_size;

constexpr std::size_t kTokens = 4000;

/// One text in rounds of 1 to 4 tokens. @param shift  total variation: even sixteenths of the
/// vocabulary are likelier, odd ones rarer
SampledText text_of(std::uint32_t seed, double shift) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return std::uniform_real_distribution<double>()(random); };
  SampledText sampled{{{0}, 1}, {}};
  while (sampled.text.ids.size() < kTokens + 1) {
    sampled.emitted.push_back(static_cast<std::int32_t>(1 + random() % 4));
    for (int i = 0; i < sampled.emitted.back(); ++i) {
      const bool even = uniform() < 0.5 * (1.0 + 2.0 * shift);
      sampled.text.ids.push_back(
          static_cast<Token>((random() % 8) * 32 + (even ? 0 : 16) + random() % 16));
    }
  }
  sampled.emitted.back() -= static_cast<std::int32_t>(sampled.text.ids.size() - kTokens - 1);
  sampled.text.ids.resize(kTokens + 1);
  return sampled;
}

class SampledLawTest : public ::testing::Test {
 protected:
  SampledLaw test(std::uint32_t seed, double shift) {
    return test_sampled_law(engines_, *model_.model, {}, {text_of(seed, shift)}, seed);
  }

  testing::FakeEngines engines_{std::make_shared<testing::FakeEnginesState>()};
  engines::LoadedModel model_ = engines_.load_model({.model = "fake"});
};

/// With p uniform, more than 11 of 50 below 0.05 happen with a probability of 5e-6 a test, more
/// than 24 of 200 with 2.6e-5; the seeds are fixed.
TEST_F(SampledLawTest, FindsNothingInTextsOfTheLaw) {
  std::vector<int> below(3, 0);
  for (std::uint32_t seed = 0; seed < by_size(50u, 50u, 200u); ++seed) {
    const SampledLaw law = test(seed, 0.0);
    EXPECT_EQ(law.tokens, static_cast<std::int64_t>(kTokens));
    EXPECT_TRUE(law.fits());
    for (std::size_t i = 0; i < below.size(); ++i) below[i] += law.tests[i].p.value() < 0.05;
  }
  for (const int count : below) EXPECT_LE(count, by_size(11, 11, 24));
  EXPECT_GT(*std::ranges::max_element(below), 0);
}

TEST_F(SampledLawTest, FindsTheShiftThatItPromisesToFind) {
  const double promised = test(0, 0.0).tests[0].smallest_shift.value();
  EXPECT_GT(promised, 0.03);
  EXPECT_LT(promised, 0.15);
  for (std::uint32_t seed = 0; seed < by_size(12u, 12u, 50u); ++seed) {
    EXPECT_FALSE(test(seed, promised).fits()) << seed;
    EXPECT_TRUE(test(seed, 0.1 * promised).fits()) << seed;
  }
}

/// Zipf's law to the power `exponent`, over the fake vocabulary.
std::vector<double> zipf_law(double exponent) {
  std::vector<double> law(256);
  for (std::size_t i = 0; i < law.size(); ++i)
    law[i] = std::pow(static_cast<double>(i + 1), -exponent);
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& probability : law) probability /= total;
  return law;
}

SampledText text_of_law(std::uint32_t seed, const std::vector<double>& law) {
  std::mt19937 random(seed);
  std::discrete_distribution<Token> token(law.begin(), law.end());
  SampledText sampled{{{0}, 1}, std::vector<std::int32_t>(kTokens / 2, 2)};
  while (sampled.text.ids.size() < kTokens + 1) sampled.text.ids.push_back(token(random));
  return sampled;
}

/// Mean of -log p under q, nats.
double cross_entropy(const std::vector<double>& q, const std::vector<double>& p) {
  double total = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) total -= q[i] * std::log(p[i]);
  return total;
}

class SkewedLawTest : public ::testing::Test {
 protected:
  SkewedLawTest() { state_->law = zipf_law(1.5); }
  SampledLaw test(std::uint32_t seed, const std::vector<double>& written) {
    return test_sampled_law(engines_, *model_.model, {}, {text_of_law(seed, written)}, seed);
  }

  std::shared_ptr<testing::FakeEnginesState> state_ = std::make_shared<testing::FakeEnginesState>();
  testing::FakeEngines engines_{state_};
  engines::LoadedModel model_ = engines_.load_model({.model = "fake"});
};

/// As above: more than 9 of 40 happen with a probability of 2.1e-5, more than 15 of 100
/// with 3.7e-5. The mean surprise has a bound for its p, which is below 0.05 more seldom than one
/// time in twenty.
TEST_F(SkewedLawTest, FindsNothingInTextsOfTheLaw) {
  std::vector<int> below(4, 0);
  const auto texts = by_size(40u, 40u, 100u);
  for (std::uint32_t seed = 0; seed < texts; ++seed) {
    const SampledLaw law = test(seed, state_->law);
    EXPECT_TRUE(law.fits());
    for (std::size_t i = 0; i < below.size(); ++i) below[i] += law.tests[i].p.value() < 0.05;
  }
  for (const int count : below) EXPECT_LE(count, by_size(9, 9, 15));
  EXPECT_LE(below[3], static_cast<int>(texts / 20));
}

TEST_F(SkewedLawTest, FindsTheMeanSurpriseThatItPromisesToFind) {
  const double promised = test(0, state_->law).tests[3].smallest_shift.value();
  EXPECT_LT(promised, 0.4);
  double exponent = 1.5;  // a sharper law surprises less
  while (cross_entropy(state_->law, state_->law) - cross_entropy(zipf_law(exponent), state_->law) <
         promised)
    exponent += 0.001;
  for (std::uint32_t seed = 0; seed < by_size(10u, 10u, 20u); ++seed)
    EXPECT_LT(test(seed, zipf_law(exponent)).tests[3].p.value(), kFalseAlarm / 4) << seed;
}

}  // namespace
}  // namespace speclab::experiments
