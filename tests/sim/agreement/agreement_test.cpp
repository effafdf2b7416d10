// Every closed form that describes chance, against its sampled twin at random settings.
//
// At each setting the mean of n samples is compared with the closed form. All comparisons together
// raise a false alarm at most once in 1e6; n grows until a relative error of 0.5 % is missed only
// once in 1,000. A usual test plays 5 settings of each twin, a whole one 16. Both hold by the
// normal law: samples are bounded or have light tails, and n is thousands and more.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/sim/agreement/twin.h"
#include "tests/support/test_size.h"

namespace speclab::testing {
namespace {

constexpr int kMostSettings = 17;  // of each twin
constexpr double kCritical = 6.2;  // P(|z| > 6.2) = 5.6e-10: some 1,050 of them below 1e-6
constexpr double kMissed = 3.1;    // P(z > 3.1) = 1e-3
constexpr double kSmallestError = 0.005;
constexpr int kBatch = 4'000;

struct Moments {
  double n = 0.0, mean = 0.0, squares = 0.0;
  void add(double value) {
    const double delta = value - mean;
    mean += delta / ++n;
    squares += delta * (value - mean);
  }
  double deviation() const { return std::sqrt(squares / (n - 1.0)); }
};

/// The relative error that is missed once in 1,000.
double missed_error(const Moments& moments, const Setting& setting) {
  return (kCritical + kMissed) * moments.deviation() / std::sqrt(moments.n) / setting.scale;
}

/// Samples until kSmallestError would be seen. Only the spread is looked at, so that the mean is
/// not chosen.
Moments sampled(const Setting& setting, Dice& dice) {
  Moments moments;
  do {
    for (int i = 0; i < kBatch; ++i) moments.add(setting.sample(dice));
  } while (missed_error(moments, setting) > kSmallestError);
  return moments;
}

std::vector<Twin> all_twins() {
  std::vector<Twin> all;
  for (const auto& group : {chain_twins(), one_token_twins(), candidate_twins(), tree_twins(),
                            schedule_twins(), batch_twins()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

/// The same on every machine. @source Fowler, Noll and Vo, FNV-1a
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t seed = 14695981039346656037ULL;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return seed;
}

class Agreement : public ::testing::TestWithParam<Twin> {};
INSTANTIATE_TEST_SUITE_P(, Agreement, ::testing::ValuesIn(all_twins()),
                         [](const auto& named) { return named.param.name; });

TEST_P(Agreement, OfTheClosedFormAndItsSampledTwin) {
  Dice dice(seed_of(GetParam().name));
  double largest = 0.0, smallest_error = 0.0;
  const int settings = by_size(2, 5, kMostSettings);
  for (int i = 0; i < settings; ++i) {
    const Setting setting = GetParam().setting(dice);
    const Moments moments = sampled(setting, dice);
    const double error = moments.deviation() / std::sqrt(moments.n);
    if (error == 0.0) {  // nothing is left to chance, as in a chain of certain tokens
      EXPECT_NEAR(moments.mean, setting.expected, 1e-12 * setting.scale) << "setting " << i;
      continue;
    }
    const double z = (moments.mean - setting.expected) / error;
    EXPECT_LE(std::abs(z), kCritical) << "setting " << i << ": closed form " << setting.expected
                                      << ", sampled " << moments.mean << " +- " << error;
    largest = std::max(largest, std::abs(z));
    smallest_error = std::max(smallest_error, missed_error(moments, setting));
  }
  EXPECT_LE(smallest_error, kSmallestError);
  std::printf("%s: %d settings, largest |z| %.2f, an error of %.2f %% is missed once in 1000\n",
              GetParam().name.c_str(), settings, largest, 100 * smallest_error);
}

TEST(AgreementTest, HasAThousandSettingsWithinItsLevelWhereItIsWhole) {
  const double comparisons = static_cast<double>(all_twins().size()) * kMostSettings;
  EXPECT_GE(comparisons, 1000.0);
  EXPECT_LE(comparisons * std::erfc(kCritical / std::sqrt(2.0)), 1e-6);
}

}  // namespace
}  // namespace speclab::testing
