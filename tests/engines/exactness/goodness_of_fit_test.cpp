// COR-3, COR-4: the shipping verifiers in float, fed by the shipping generator, over real laws:
// those of the default model and its small transformer at 200 places of real text, each reduced to
// its 63 likeliest tokens and the rest.
//
// Every statistic is a chi-square with at least 100 expected a cell. All of them together raise a
// false alarm once in 1e6; the smallest shift that one misses with odds below 1e-6 is printed.
// Beside them stands a bound that needs no asymptotics. SPECLAB_SAMPLES is the number of samples a
// context, 100,000 if it is not set; with few, as under sanitizers, cells are pooled until little
// is tested but memory.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engines/interface/names.h"
#include "tests/engines/exactness/law_statistics.h"
#include "tests/engines/exactness/trials.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

using namespace testing;
using speclab::testing::by_size;

int samples_of_a_context() {
  const char* samples = std::getenv("SPECLAB_SAMPLES");
  return samples == nullptr ? by_size(5'000, 100'000, 100'000) : std::stoi(samples);
}

class GoodnessOfFit : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, GoodnessOfFit,
                         ::testing::ValuesIn(kLosslessVerifierKinds.begin() + 1,
                                             kLosslessVerifierKinds.end()),
                         [](const auto& named) { return std::string(named.param); });

TEST_P(GoodnessOfFit, OfTheRealSamplerOverRealLaws) {
  ASSERT_EQ(real_pairs().size(), kContexts);
  const int samples = samples_of_a_context();
  double smallest_shift = 0.0;
  for (std::size_t context = 0; context < kContexts; ++context) {
    const Law& first_law = real_pairs()[context].target;
    const Law& second_law = real_pairs()[(context + 1) % kContexts].target;
    const auto [first_part, first_mass] = eighths(first_law);
    const auto [second_part, second_mass] = eighths(second_law);
    std::vector<double> first(kVocab, 0.0), both(64, 0.0), begins(8, 0.0);
    Trials trial(GetParam(), context);
    for (int i = 0; i < samples; ++i) {
      const Trials::Outcome outcome = trial();
      ++first[static_cast<std::size_t>(outcome.first)];
      const std::size_t part = second_part[static_cast<std::size_t>(outcome.second)];
      ++both[8 * first_part[static_cast<std::size_t>(outcome.first)] + part];
      if (outcome.second_begins_round) ++begins[part];
    }
    std::vector<double> joint;
    for (const double a : first_mass)
      for (const double b : second_mass) joint.push_back(a * b);
    EXPECT_GE(p_value(first, probabilities_of(first_law), &smallest_shift), kLevel)
        << "first token, context " << context;
    EXPECT_LE(total_variation(first, probabilities_of(first_law)), surest_total_variation(samples))
        << "first token, context " << context;
    EXPECT_GE(p_value(both, joint, &smallest_shift), kLevel) << "two tokens, context " << context;
    EXPECT_GE(p_value(begins, second_mass, nullptr), kLevel)
        << "the token after a round that accepted nothing, context " << context;
    if (HasFailure()) return;  // one context says it; seeded defects are found quickly
  }
  EXPECT_LE(smallest_shift, 0.027 * std::sqrt(100'000.0 / samples));
  std::printf(
      "%s: %d samples of each of %zu contexts; a shift of %.4f is missed with odds below 1e-6\n",
      GetParam(), samples, kContexts, smallest_shift);
}

}  // namespace
}  // namespace speclab::engines
