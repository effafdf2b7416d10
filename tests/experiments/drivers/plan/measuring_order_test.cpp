#include "experiments/drivers/plan/plan_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

TEST(MeasuringOrder, MeasuresEveryGenerationOnce) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan({"experiment.repetitions=3"});
  std::vector<std::size_t> order = plan.order;
  std::ranges::sort(order);
  std::vector<std::size_t> all(plan.generations.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(order, all);
}

TEST(MeasuringOrder, KeepsRivalsOfAPromptTogether) {
  const testing::SmallExperiment experiment;
  const Plan plan = experiment.plan({"experiment.repetitions=3"});
  constexpr std::size_t kRivals = 3;
  for (std::size_t i = 0; i < plan.order.size(); i += kRivals) {
    std::set<std::tuple<std::int32_t, std::size_t, double>> settings;
    std::size_t num_plain = 0;
    for (std::size_t j = i; j < i + kRivals; ++j) {
      const PlannedGeneration& g = plan.generations[plan.order[j]];
      settings.insert({g.repetition, g.prompt, plan.cells[g.cell].setting.temperature});
      num_plain += plan.cells[g.cell].is_plain() ? 1 : 0;
    }
    EXPECT_EQ(settings.size(), 1u);
    EXPECT_EQ(num_plain, 1u);
  }
}

/// Cells that are compared with each other, as they are measured: "p" for plain, "." for others.
std::vector<std::string> measured_blocks(const Plan& plan) {
  std::vector<std::string> blocks;
  const PlannedGeneration* last = nullptr;
  for (const std::size_t row : plan.order) {
    const PlannedGeneration& g = plan.generations[row];
    if (!last || !plan.are_compared(*last, g)) blocks.emplace_back();
    blocks.back() += plan.cells[g.cell].is_plain() ? 'p' : '.';
    last = &g;
  }
  return blocks;
}

/// Seven repetitions where the others have two: in their first plain decoding has four, in the
/// second three, of eleven or twelve places.
TEST(MeasuringOrder, SpreadsFurtherRepetitionsOfPlainDecodingAmongItsRivals) {
  const testing::SmallExperiment experiment;
  for (const char* pools : {"prompts.pool_categories=true", "prompts.pool_categories=false"}) {
    const Plan plan = experiment.plan(
        {"experiment.repetitions=2", "experiment.plain_repetitions=7",
         "axes.policy=[\"constant:1\", \"constant:2\", \"constant:3\", \"constant:4\"]", pools});
    std::map<std::ptrdiff_t, int> blocks_of_plain;
    for (const std::string& block : measured_blocks(plan)) {
      const std::ptrdiff_t plain = std::ranges::count(block, 'p'),
                           others = std::ranges::count(block, '.');
      ++blocks_of_plain[plain];
      EXPECT_EQ(others, 8) << block;
      for (std::size_t at = block.find('p'), next = block.find('p', at + 1);
           next != std::string::npos; at = next, next = block.find('p', at + 1))
        EXPECT_NEAR(static_cast<double>(next - at - 1), 8.0 / static_cast<double>(plain), 1.0)
            << block;
    }
    EXPECT_EQ(blocks_of_plain, (std::map<std::ptrdiff_t, int>{{3, 8}, {4, 8}}))
        << "each is measured in one stretch: four prompts, two temperatures";
  }
}

TEST(MeasuringOrder, DiffersBetweenRepetitionsAndSeeds) {
  const testing::SmallExperiment experiment;
  const auto prompts_in_order = [](const Plan& plan, std::int32_t repetition) {
    std::vector<std::size_t> cells;
    for (const std::size_t row : plan.order)
      if (plan.generations[row].repetition == repetition)
        cells.push_back(plan.generations[row].cell * 100 + plan.generations[row].prompt);
    return cells;
  };
  const Plan plan = experiment.plan({"experiment.repetitions=2"});
  EXPECT_NE(prompts_in_order(plan, 0), prompts_in_order(plan, 1));
  EXPECT_NE(experiment.plan({"experiment.seed=2"}).order,
            experiment.plan({"experiment.seed=3"}).order);
  EXPECT_EQ(experiment.plan({"experiment.seed=2"}).order,
            experiment.plan({"experiment.seed=2"}).order);
}

/// Every generation is keyed once: to look at all of them for each repetition and prompt would be
/// 8,192,000,000 looks here.
TEST(MeasuringOrder, TakesALargePlanInItsStride) {
  constexpr std::int32_t kRepetitions = 200;
  Plan plan{.config = {}};
  plan.config.repetitions = kRepetitions;
  plan.prompts.resize(160);
  for (int cell = 0; cell < 8; ++cell)
    plan.cells.push_back({.id = "",
                          .category = "all",
                          .setting = {.model = std::to_string(cell % 2), .drafter = "none"}});
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell)
    for (std::size_t prompt = 0; prompt < plan.prompts.size(); ++prompt)
      for (std::int32_t repetition = 0; repetition < kRepetitions; ++repetition)
        plan.generations.push_back({cell, prompt, repetition});
  std::vector<std::size_t> order = measuring_order(plan);
  for (std::size_t i = 1; i < order.size(); ++i)
    ASSERT_LE(plan.generations[order[i - 1]].repetition, plan.generations[order[i]].repetition);
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

TEST(Shuffled, MovesEveryValueToEveryPlace) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (std::uint32_t turn = 0; turn < 200; ++turn) {
    const auto order = shuffled(5, 7, 0, turn);
    for (std::size_t place = 0; place < order.size(); ++place) seen.insert({place, order[place]});
  }
  EXPECT_EQ(seen.size(), 25u);  // a pair is missed by chance with odds 25 * 0.8^200 < 1e-18
}

}  // namespace
}  // namespace speclab::experiments
