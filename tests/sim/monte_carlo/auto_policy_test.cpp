#include "sim/policies/auto_policy.h"

#include <gtest/gtest.h>

#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/support/sim_values.h"

namespace speclab::sim {
namespace {

using speclab::testing::point;
using speclab::testing::round_of;

/// A plain step takes 100; eight more rows cost `verify` and a drafted level `draft` of that.
std::shared_ptr<const CostSurface> costs(double verify, double draft) {
  return std::make_shared<CostSurface>(std::vector<CostPoint>{
      point(CostKind::target, 1, 0, 98), point(CostKind::target, 9, 0, 98 + 100 * verify),
      point(CostKind::draft, 1, 0, 100 * draft), point(CostKind::draft, 8, 0, 800 * draft),
      point(CostKind::overhead, 1, 0, 2)});
}

AutoPolicyOptions options(std::shared_ptr<const CostSurface> surface, double prior_acceptance,
                          double prior_hit_rate = 1.0) {
  AutoPolicyOptions result{.costs = std::move(surface)};
  result.prior.conditional_acceptance = {prior_acceptance};
  result.prior.reach = {prior_hit_rate, 1.0};
  return result;
}

/// Plain time over simulated time.
double speed(const AutoPolicyOptions& auto_options, const RoundLaw& law, int new_tokens) {
  const GenerationPlan plan{.new_tokens = new_tokens};
  const auto simulated = simulate_generation(AutoPolicy(auto_options), law, plan,
                                             *auto_options.costs, {.generations = 100, .seed = 4});
  return 100.0 * new_tokens / simulated.mean.decode_ns();
}

TEST(AutoPolicy, KeepsPlainSpeedWhereDraftingNeverPays) {
  for (const double verify : {0.1, 0.4, 1.0})
    for (const double draft : {0.0001, 0.05, 0.2, 0.6})
      for (const double prior : {0.1, 0.5, 0.9})  // pilots may have promised anything
        for (const double acceptance : {0.0, 0.05, 0.1})
          for (const int new_tokens : {64, 128}) {
            const RoundLaw law = round_law(std::vector<double>(8, acceptance));
            EXPECT_GE(speed(options(costs(verify, draft), prior), law, new_tokens), 0.97)
                << "verify " << verify << ", draft " << draft << ", prior " << prior
                << ", acceptance " << acceptance;
          }
}

TEST(AutoPolicy, NeverLosesMoreThanItsBoundInAnyGeneration) {
  // Every draft is rejected: the worst that can happen.
  for (const double verify : {0.05, 0.3, 1.5})
    for (const double prior : {0.3, 0.99})
      for (const int new_tokens : {16, 64, 128, 1024}) {
        const AutoPolicyOptions worst = options(costs(verify, 0.05), prior);
        const double bound = new_tokens * (1.0 + worst.loss_fraction) + worst.loss_allowance;
        EXPECT_GE(speed(worst, round_law(std::vector<double>(8, 0.0)), new_tokens) * (1 + 1e-12),
                  new_tokens / bound);
      }
}

TEST(AutoPolicy, ComesCloseToTheBestConstantLengthWhereDraftingPays) {
  for (const double acceptance : {0.7, 0.8, 0.9})
    for (const double prior : {0.6, 0.8}) {
      const auto surface = costs(0.3, 0.05);
      const RoundLaw law = round_law(std::vector<double>(8, acceptance));
      double best = 0.0;
      for (int length = 1; length <= 8; ++length)
        best = std::max(best, 12800.0 / predict_generation(truncated(law, length),
                                                           {.new_tokens = 128}, *surface)
                                            .decode_ns());
      EXPECT_GT(best, 1.5);
      EXPECT_GE(speed(options(surface, prior), law, 128), 0.93 * best)
          << acceptance << " " << prior;
    }
}

TEST(AutoPolicy, FindsOutWhenThePilotsWereTooPessimistic) {
  EXPECT_GE(speed(options(costs(0.3, 0.05), 0.1), round_law(std::vector<double>(8, 0.9)), 512),
            1.5);
}

TEST(AutoPolicy, UsesRareHitsThatPay) {
  // One round in ten finds something to copy, and then it is right: worth having although the mean
  // gain is small.
  std::vector<double> depths(9, 0.0);
  depths[0] = 0.9;
  depths[8] = 0.1;
  const RoundLaw law = round_law(depths, std::vector<double>(8, 0.95));
  const auto surface = costs(0.3, 0.0001);
  const double best = 12800.0 / predict_generation(law, {.new_tokens = 128}, *surface).decode_ns();
  EXPECT_GT(best, 1.4);
  EXPECT_GE(speed(options(surface, 0.6, 0.1), law, 128), 0.9 * best);
}

TEST(AutoPolicy, KeepsAskingForFreeUntilAProbeFindsSomething) {
  AutoPolicyOptions probing = options(costs(0.3, 0.0001), 0.01, 0.5);
  probing.loss_allowance = 10.0;
  AutoPolicy policy(probing);
  for (int round = 0; round < probing.probe_interval; ++round) {
    EXPECT_EQ(policy.next_length(), 0);
    policy.observe(round_of(0, 0));
  }
  for (int round = 0; round < 50; ++round) {
    EXPECT_GT(policy.next_length(), 0);
    policy.observe(round_of(0, 0));
  }
  policy.observe(round_of(policy.next_length(), 0));
  EXPECT_EQ(policy.next_length(), 0);
}

TEST(AutoPolicy, DoublesItsProbeIntervalsUpToTheLargest) {
  AutoPolicyOptions probing = options(costs(0.3, 0.05), 0.01);
  probing.loss_allowance = 100.0;
  AutoPolicy policy(probing);
  std::vector<int> gaps;
  for (int gap = 0; gaps.size() < 6;) {
    const int length = policy.next_length();
    policy.observe(round_of(length, 0));
    if (length == 0)
      ++gap;
    else
      gaps.push_back(std::exchange(gap, 0));
  }
  EXPECT_EQ(gaps, (std::vector<int>{8, 16, 32, 64, 64, 64}));
}

TEST(AutoPolicy, StartsAfreshForAnotherSequence) {
  const AutoPolicyOptions promising = options(costs(0.3, 0.05), 0.9);
  AutoPolicy policy(promising);
  const int first = policy.next_length();
  EXPECT_GT(first, 0);
  for (int round = 0; round < 100; ++round) policy.observe(round_of(policy.next_length(), 0));
  EXPECT_EQ(policy.next_length(), 0);
  EXPECT_EQ(policy.fresh()->next_length(), first);
}

TEST(AutoPolicy, NeverDraftsWithoutALevel) {
  AutoPolicyOptions none = options(costs(0.3, 0.05), 0.9);
  none.max_length = 0;
  AutoPolicy policy(none);
  EXPECT_EQ(policy.next_length(), 0);
  policy.observe(round_of(0, 0));
  EXPECT_EQ(policy.next_length(), 0);
}

TEST(AutoPolicyOptions, AreRefusedOutOfRange) {
  const auto with = [](auto change) {
    AutoPolicyOptions changed = options(costs(0.3, 0.05), 0.5);
    change(changed);
    return changed;
  };
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.costs = nullptr; })), ConfigError);
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.max_length = -1; })), ConfigError);
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.rows_of_depth = {1, 2}; })), ConfigError);
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.required_gain = 0.5; })), ConfigError);
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.loss_fraction = -0.1; })), ConfigError);
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.probe_interval = 0; })), ConfigError);
  EXPECT_THROW(AutoPolicy(with([](auto& o) { o.max_probe_interval = 1; })), ConfigError);
}

}  // namespace
}  // namespace speclab::sim
