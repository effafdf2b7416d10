#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/forward_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/stats/pair_costs.h"
#include "analysis/tables/run_folder.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

CostEntry cost(sim::CostKind kind, int rows, int context, double ns) {
  return {.setting = {.model = "fake"},
          .kind = kind,
          .rows = rows,
          .context = context,
          .ns = {ns, {}, 6}};
}

/// A log in a fresh folder whose cost surface has two forwards at one context, a prompt and an
/// overhead.
RunLog log_with_costs(const SmallExperiment& experiment, const Plan& plan) {
  RunLog log(plan, experiment.folder("run"));
  log.add(HeaderEntry{.plan_digest = plan_digest(plan)});
  log.add(std::vector{
      cost(sim::CostKind::target, 1, 10, 100.0), cost(sim::CostKind::target, 4, 10, 300.0),
      cost(sim::CostKind::prefill, 20, 0, 900.0), cost(sim::CostKind::overhead, 1, 10, 7.0)});
  return log;
}

std::vector<CostEntry> costs_at_pace(const RunLog& log) {
  return analysis::paced_costs(log.costs(), pace_rows(log));
}

double cost_at(const std::vector<CostEntry>& costs, sim::CostKind kind, int rows) {
  return std::ranges::find_if(
             costs,
             [&](const CostEntry& entry) { return entry.kind == kind && entry.rows == rows; })
      ->ns.value;
}

TEST(PacedCosts, AreMeansOfTheForwardsBetweenGenerations) {
  const SmallExperiment experiment;
  std::filesystem::create_directories(experiment.folder("run"));
  const Plan plan = experiment.plan();
  RunLog log = log_with_costs(experiment, plan);
  EXPECT_TRUE(costs_at_pace(log).empty());
  log.add(PaceEntry{0, "fake", 10, {{1, 200.0}, {4, 200.0}}});
  log.add(PaceEntry{3, "fake", 10, {{1, 50.0}, {4, 100.0}}});
  for (const RunLog& from : {log, RunLog(plan, experiment.folder("run"))}) {
    const std::vector<CostEntry> costs = costs_at_pace(from);
    EXPECT_EQ(cost_at(costs, sim::CostKind::target, 1), 125);
    EXPECT_EQ(cost_at(costs, sim::CostKind::target, 4), 150);
    EXPECT_EQ(cost_at(costs, sim::CostKind::prefill, 20), 450)
        << "half, as the forward of most rows";
    EXPECT_EQ(cost_at(costs, sim::CostKind::overhead, 1), 7);
  }
  EXPECT_EQ(cost_at(log.costs(), sim::CostKind::target, 1), 100);
}

TEST(PacedCosts, RefuseForwardsThatTheCostSurfaceLacks) {
  const SmallExperiment experiment;
  std::filesystem::create_directories(experiment.folder("run"));
  const Plan plan = experiment.plan();
  RunLog log = log_with_costs(experiment, plan);
  log.add(PaceEntry{0, "fake", 11, {{1, 200.0}}});
  EXPECT_THROW(costs_at_pace(log), DataError);
}

TEST(PaceTaker, TimesForwardsOnceForEveryPromptTemperatureAndRepetition) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan({"experiment.repetitions=2"});
  experiment.run(plan, "run");
  const RunLog log(plan, experiment.folder("run"));
  std::set<std::tuple<std::size_t, double, std::int32_t>> blocks;
  std::set<int> contexts;
  for (const PlannedGeneration& g : plan.generations)
    blocks.insert({g.prompt, plan.cells[g.cell].setting.temperature, g.repetition});
  EXPECT_EQ(log.paces().size(), blocks.size());
  log.for_each_pace([&](const PaceEntry& pace) { contexts.insert(pace.context); });
  EXPECT_EQ(contexts.size(), 3U);
  for (const auto& [cell, prediction] : analysis::read_run(experiment.folder("run")).predictions)
    EXPECT_GT(prediction.paced_walltime_ns.value_or(0), 0) << cell;
}

TEST(PaceTaker, LeavesRoundsOnTheDeviceAlone) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan({"target.device=cuda", "target.rounds=device",
                                     "axes.drafter=[\"none\", \"small_transformer\"]"});
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
  EXPECT_TRUE(RunLog(plan, experiment.folder("run")).paces().empty());
  EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/pace.csv"));
  const analysis::Run run = analysis::read_run(experiment.folder("run"));
  ASSERT_FALSE(run.predictions.empty());
  for (const auto& [cell, prediction] : run.predictions) {
    EXPECT_GT(prediction.walltime_ns.value_or(0), 0) << cell;
    EXPECT_FALSE(prediction.paced_walltime_ns.has_value()) << cell;
  }
}

}  // namespace
}  // namespace speclab::experiments
