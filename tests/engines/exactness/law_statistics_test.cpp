// What the statistics of COR-3 find and what they let pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "sim/analytic/one_token.h"
#include "tests/engines/exactness/law_statistics.h"
#include "tests/engines/exactness/trials.h"
#include "tests/support/test_size.h"

namespace speclab::engines {
namespace {

using namespace testing;

/// Lossy rules are found wherever they move the law, over the cells that are not pooled, by at
/// least the shift that is promised: whatever its shape, a total variation d has a noncentrality of
/// at least 4 n d^2.
TEST(LossyLaws, AreFoundWhereverThatIsPromised) {
  const int samples = speclab::testing::by_size(25'000, 100'000, 100'000);
  const double promised_shift = 0.03 * std::sqrt(100'000.0 / samples);  // a tenth may be pooled
  int found = 0, promised = 0;
  for (const bool is_lenient : {true, false}) {
    for (std::size_t context = 0; context < kContexts; context += 4) {
      const std::vector<double> p = probabilities_of(real_pairs()[context].target),
                                q = probabilities_of(real_pairs()[context].draft);
      const double distance = is_lenient ? sim::lenient_distance(p, q, 0.8, LenientResidual::full)
                                         : sim::typical_distance(p, q, 0.09, 0.3);
      Trials trial(is_lenient ? "lenient" : "typical", context);
      std::vector<double> first(kVocab, 0.0);
      for (int i = 0; i < samples; ++i) ++first[static_cast<std::size_t>(trial().first)];
      const bool is_found = p_value(first, p, nullptr) < kLevel;
      found += is_found;
      if (distance < promised_shift) continue;
      ++promised;
      EXPECT_TRUE(is_found) << "context " << context << ", off by " << distance;
    }
  }
  std::printf("lossy rules: found in %d of 100 places, of which %d are off by %g or more\n", found,
              promised, promised_shift);
  EXPECT_GE(promised, 20);
}

/// The statistic itself: over a sampler that shares nothing with the rules its p is uniform.
/// Kolmogorov and Smirnov's distance of 10,000 values exceeds 0.027 with a probability of 1e-6.
TEST(Calibration, OfTheStatisticOverATrustedSampler) {
  std::mt19937_64 random(1);
  const std::vector<double> law{0.3, 0.2, 0.15, 0.1, 0.1, 0.06, 0.05, 0.04};
  std::discrete_distribution<std::size_t> sampler(law.begin(), law.end());
  std::vector<double> ps;
  for (int run = 0; run < 10'000; ++run) {
    std::vector<double> counts(law.size(), 0.0);
    for (int i = 0; i < 2500; ++i) ++counts[sampler(random)];
    ps.push_back(p_value(counts, law, nullptr));
  }
  std::ranges::sort(ps);
  double distance = 0.0;
  for (std::size_t i = 0; i < ps.size(); ++i)
    distance = std::max(distance, std::abs(ps[i] - (static_cast<double>(i) + 0.5) /
                                                       static_cast<double>(ps.size())));
  EXPECT_LT(distance, 0.027);
}

}  // namespace
}  // namespace speclab::engines
