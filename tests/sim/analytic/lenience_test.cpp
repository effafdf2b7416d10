
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;
using Probabilities = std::vector<double>;

constexpr LenientResidual kForms[]{LenientResidual::full, LenientResidual::lenient};
const std::vector<double> kNoLenience{0.0, -0.5, 1.0001, kNan, kInfinity};

TEST(Lenience, OfOneIsExact) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 12);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    EXPECT_NEAR(lenient_acceptance_rate(p, q, 1.0), acceptance_probability(p, q), 1e-14);
    for (const LenientResidual form : kForms)
      EXPECT_NEAR(lenient_distance(p, q, 1.0, form), 0.0, 1e-14);
  });
}

TEST(Lenience, TowardsZeroKeepsWhatTheTargetCanSayAndEmitsTheDraftsLaw) {
  const Probabilities p{0.6, 0.4, 0.0}, q{0.1, 0.2, 0.7}, covered{0.3, 0.7, 0.0};
  EXPECT_NEAR(lenient_acceptance_rate(p, q, 1e-9), 0.3, 1e-12)
      << "a token without p-mass is never kept";
  EXPECT_NEAR(lenient_distance(p, covered, 1e-9, LenientResidual::full), lk_divergence(p, covered),
              1e-12);
}

TEST(Lenience, EmitsALawOfWhichNoTokenGetsMoreThanItsShareOverTheLenience) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 12);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const double lenience = values.uniform(0.01, 1.0);
    for (const LenientResidual form : kForms) {
      const Probabilities output = lenient_output_distribution(p, q, lenience, form);
      EXPECT_NEAR(std::accumulate(output.begin(), output.end(), 0.0), 1.0, 1e-12);
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LE(output[i], p[i] / lenience + 1e-14);
    }
  });
}

TEST(Lenience, KeepsMoreTheLowerItIs) {
  for_random_values([](RandomValues& values) {
    const int vocab_size = values.integer(2, 12);
    const Probabilities p = values.law(vocab_size), q = values.law(vocab_size);
    const double lower = values.uniform(0.01, 0.5), higher = values.uniform(0.5, 1.0);
    EXPECT_GE(lenient_acceptance_rate(p, q, lower), lenient_acceptance_rate(p, q, higher) - 1e-14);
    EXPECT_GE(argmax_lenient_acceptance_rate(p, q, lower),
              argmax_lenient_acceptance_rate(p, q, higher));
  });
}

TEST(ArgmaxLenience, KeepsTheArgMaxAndItsEqualsAtOneAndEverythingTowardsZero) {
  const Probabilities p{0.4, 0.4, 0.2}, q{0.2, 0.3, 0.5};
  EXPECT_EQ(argmax_lenient_acceptance_rate(p, q, 1.0), 0.5);
  EXPECT_EQ(argmax_lenient_acceptance_rate(p, q, 0.51), 0.5);
  EXPECT_EQ(argmax_lenient_acceptance_rate(p, q, 0.5), 1.0) << "the bound itself is kept";
  EXPECT_EQ(argmax_lenient_acceptance_rate(p, q, 1e-9), 1.0);
}

TEST(Lenience, RefusesArgumentsOutOfRange) {
  const Probabilities law{0.5, 0.5};
  constexpr auto kFull = LenientResidual::full;
  expect_pairs_refused([](const auto& p, const auto& q) { lenient_acceptance_rate(p, q, 0.5); });
  expect_pairs_refused(
      [](const auto& p, const auto& q) { lenient_output_distribution(p, q, 0.5, kFull); });
  expect_pairs_refused([](const auto& p, const auto& q) { lenient_distance(p, q, 0.5, kFull); });
  expect_pairs_refused(
      [](const auto& p, const auto& q) { argmax_lenient_acceptance_rate(p, q, 0.5); });
  expect_refused([&](double lenience) { lenient_acceptance_rate(law, law, lenience); },
                 kNoLenience);
  expect_refused([&](double lenience) { lenient_output_distribution(law, law, lenience, kFull); },
                 kNoLenience);
  expect_refused([&](double lenience) { lenient_distance(law, law, lenience, kFull); },
                 kNoLenience);
  expect_refused([&](double lenience) { argmax_lenient_acceptance_rate(law, law, lenience); },
                 kNoLenience);
}

}  // namespace
}  // namespace speclab::sim
