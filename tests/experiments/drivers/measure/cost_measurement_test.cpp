// Costs are timed in passes over all points, spread over the pilots' time.

#include "experiments/drivers/measure/cost_measurement.h"
#include "experiments/drivers/journal/run_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/stats/intervals.h"
#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/measure/cost_samples.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

constexpr std::uint32_t kCostSequences = 1u << 25, kPilotSequences = 1u << 30,
                        kMeasuredSequences = 1u << 31;

bool is_cost(std::uint32_t sequence) {
  return sequence >= kCostSequences && sequence < kCostSequences + 100;
}
bool is_pilot(std::uint32_t sequence) {
  return sequence >= kPilotSequences && sequence < kMeasuredSequences;
}

TEST(CostMeasurement, IsSpreadOverThePilotsInPasses) {
  const testing::SmallExperiment experiment;
  std::vector<std::uint32_t> sequences;
  experiment.engines().on_sequence = [&](std::uint32_t sequence) { sequences.push_back(sequence); };
  experiment.run(experiment.plan({"costs.repetitions=3"}), "run");
  std::vector<std::uint32_t> costs;
  std::ranges::copy_if(sequences, std::back_inserter(costs), is_cost);
  EXPECT_TRUE(std::ranges::is_sorted(costs)) << "one pass after the other";
  EXPECT_EQ(std::set(costs.begin(), costs.end()),
            (std::set{kCostSequences, kCostSequences + 1, kCostSequences + 2}));
  std::erase_if(sequences,
                [](std::uint32_t sequence) { return !is_pilot(sequence) && !is_cost(sequence); });
  EXPECT_TRUE(is_pilot(sequences.front()));
  EXPECT_TRUE(is_cost(sequences.back()));
  int neighbours = 0;
  for (std::size_t i = 1; i < sequences.size(); ++i)
    neighbours += is_pilot(sequences[i]) && is_pilot(sequences[i - 1]);
  EXPECT_LT(neighbours, std::ranges::count_if(sequences, is_pilot) / 2)
      << "pilots with no generation of the cost surface between them";
}

TEST(CostMeasurement, ComesBackFromTheJournalWithItsPasses) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan({"costs.repetitions=2"});
  experiment.run(plan, "run");
  RunLog log(plan, experiment.folder("run"));
  for (const CostEntry& cost : log.costs()) {
    EXPECT_EQ(cost_entry(to_json(cost)).ns_of_pass, cost.ns_of_pass);
    EXPECT_FALSE(cost.ns_of_pass.empty());
  }
  EXPECT_EQ(passes_of(log.costs()), (std::vector{0, 1}));
}

TEST(CostSamples, ArePassesOfMediansAndTheirMean) {
  CostSamples samples;
  const CostEntry point{.setting = {.model = "fake"}, .rows = 3, .context = 7},
      once{.setting = {.model = "fake"}, .rows = 4, .context = 7};
  for (const double ns : {10.0, 12.0, 1000.0}) samples.add(point, 0, ns);
  samples.add(point, 2, 24.0);
  for (const double ns : {5.0, 6.0, 7.0}) samples.add(once, 1, ns);
  const std::vector<CostEntry> entries = samples.entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].ns_of_pass, (std::vector<analysis::PassTime>{{0, 12.0}, {2, 24.0}}));
  EXPECT_EQ(entries[0].ns.value, 18.0);
  EXPECT_EQ(entries[0].ns.n, 2u);
  EXPECT_FALSE(entries[0].ns.interval) << "two so unlike passes bound nothing: a factor of 20";
  EXPECT_EQ(entries[1].ns.value, 6.0);
  EXPECT_EQ(entries[1].ns.n, 3u);
  EXPECT_EQ(passes_of(entries), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(costs_without_pass(entries, 0)[0].ns.value, 24.0);
  EXPECT_EQ(costs_without_pass(entries, 1)[1].ns.value, 6.0) << "there is no other";
}

/// Student's t of two degrees on the scale of logarithms.
TEST(CostSamples, HaveTheIntervalOfTheirPasses) {
  CostSamples samples;
  for (const auto& [pass, ns] : {std::pair(0, 9.0), {1, 10.0}, {2, 11.0}})
    samples.add({.setting = {.model = "fake"}}, pass, ns);
  const analysis::Estimate ns = samples.entries().front().ns;
  EXPECT_NEAR(ns.interval.value().high, 10 * std::exp(4.302652729911275 / std::sqrt(3.0) / 10),
              1e-9);
  EXPECT_NEAR(ns.interval.value().low, 10 * std::exp(-4.302652729911275 / std::sqrt(3.0) / 10),
              1e-9);
}

TEST(LogInterval, IsNothingBeyondAFactorOfTwenty) {
  const auto interval = analysis::log_interval(5, 0.1, 4);
  EXPECT_NEAR(interval.value().high, 5 * std::exp(0.1 * 2.7764451051977987), 1e-9);
  EXPECT_NEAR(interval.value().low * interval.value().high, 25, 1e-9);
  EXPECT_FALSE(analysis::log_interval(5, 1.2, 4));
  EXPECT_FALSE(analysis::log_interval(5, std::nan(""), 4));
  EXPECT_EQ(analysis::log_interval(5, 0, 0).value().low, 5);
}

}  // namespace
}  // namespace speclab::experiments
