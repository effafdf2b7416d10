#include "sim/analytic/round_model.h"

#include <gtest/gtest.h>

#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

RoundModel model(double acceptance_rate, double reach, double cost_ratio, std::size_t levels) {
  RoundModel result{
      std::vector<double>(levels, 1.0), std::vector<double>(levels, acceptance_rate), {}};
  if (levels > 0) result.reach[0] = reach;
  for (std::size_t depth = 0; depth <= levels; ++depth)
    result.cost_ns.push_back(100.0 * (1.0 + cost_ratio * static_cast<double>(depth)));
  return result;
}

TEST(RoundMeans, AreTheClosedFormsForADrafterThatAlwaysProposes) {
  const RoundMeans means = round_means(model(0.8, 1.0, 0.05, 5), 5);
  EXPECT_NEAR(means.tokens, tokens_per_round(0.8, 5), 1e-14);
  EXPECT_NEAR(means.tokens_per_ns() * 100.0, predicted_speedup(0.8, 5, 0.05), 1e-14);
}

TEST(RoundMeans, ChargeAndCreditOnlyTheRoundsThatHit) {
  const RoundMeans means = round_means(model(0.8, 0.25, 0.05, 5), 5);
  EXPECT_NEAR(means.tokens, 0.75 + 0.25 * tokens_per_round(0.8, 5), 1e-14);
  EXPECT_NEAR(means.ns, 0.75 * 100 + 0.25 * 125, 1e-12);
}

TEST(OptimalSpeculationLength, AgreesWithTheScalarRule) {
  for (const double acceptance_rate : {0.0, 0.1, 0.5, 0.8, 0.95})
    EXPECT_EQ(optimal_speculation_length(model(acceptance_rate, 1.0, 0.11, 12)),
              optimal_speculation_length(acceptance_rate, 0.11, 12));
  EXPECT_EQ(optimal_speculation_length(model(0.0, 1.0, 0.11, 12), 1), 1);
}

TEST(OptimalSpeculationLength, LooksPastALocalPeak) {
  RoundModel stepped = model(0.9, 1.0, 0.01, 8);
  stepped.cost_ns = {100, 150, 201, 202, 203, 204, 205, 206, 207};
  EXPECT_EQ(optimal_speculation_length(stepped), 8);
}

TEST(RoundMeans, RefuseListsThatDoNotFit) {
  RoundModel broken = model(0.5, 1.0, 0.1, 3);
  EXPECT_THROW(round_means(broken, 4), ContractError);
  broken.cost_ns.pop_back();
  EXPECT_THROW(round_means(broken, 1), ContractError);
}

}  // namespace
}  // namespace speclab::sim
