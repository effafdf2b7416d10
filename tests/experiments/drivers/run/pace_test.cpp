#include "experiments/drivers/run/pace.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/io/run_folder.h"
#include "sim/core/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

CostEntry forward_cost(int rows, int context, double ns) {
  return {.model = "fake", .drafter = "", .tree = "", .kind = sim::CostKind::target, .rows = rows, .context = context, .ns = {ns, {}, 6}};
}

/// A log in a fresh folder whose cost surface has two forwards at one context.
RunLog log_with_costs(const SmallExperiment& experiment) {
  RunLog log(experiment.folder("run"));
  log.add(std::vector{forward_cost(1, 10, 100.0), forward_cost(4, 10, 300.0)});
  return log;
}

TEST(PaceRatio, IsARatioOfTotals) {
  const SmallExperiment experiment;
  std::filesystem::create_directories(experiment.folder("run"));
  RunLog log = log_with_costs(experiment);
  EXPECT_FALSE(pace_ratio(log, "fake"));
  log.add(PaceEntry{0, "fake", 10, {{1, 200.0}, {4, 300.0}}});
  log.add(PaceEntry{3, "fake", 10, {{1, 100.0}}});
  log.add(PaceEntry{6, "fake", 10, {{1, 80.0}, {4, 445.0}}});  // 1125 in all against 900
  EXPECT_DOUBLE_EQ(pace_ratio(log, "fake").value(), 1.25);
  EXPECT_FALSE(pace_ratio(log, "another"));
  EXPECT_DOUBLE_EQ(pace_ratio(RunLog(experiment.folder("run")), "fake").value(), 1.25) << "the journal keeps it";
}

TEST(PaceRatio, RefusesForwardsThatTheCostSurfaceLacks) {
  const SmallExperiment experiment;
  std::filesystem::create_directories(experiment.folder("run"));
  RunLog log = log_with_costs(experiment);
  log.add(PaceEntry{0, "fake", 11, {{1, 200.0}}});
  EXPECT_THROW(pace_ratio(log, "fake"), DataError);
}

TEST(PaceTaker, TimesForwardsOnceForEveryPromptTemperatureAndRepetition) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan({"experiment.repetitions=2"});
  experiment.run(plan, "run");
  const RunLog log(experiment.folder("run"));
  std::set<std::tuple<std::size_t, double, std::int32_t>> blocks;
  std::set<int> contexts;
  for (const PlannedGeneration& g : plan.generations) blocks.insert({g.prompt, plan.cells[g.cell].temperature, g.repetition});
  EXPECT_EQ(log.paces().size(), blocks.size());
  for (const auto& [row, pace] : log.paces()) contexts.insert(pace.context);
  EXPECT_EQ(contexts.size(), 3U);
  for (const auto& [cell, prediction] : analysis::read_run(experiment.folder("run")).predictions) EXPECT_GT(prediction.pace_ratio.value_or(0), 0) << cell;
}

}  // namespace
}  // namespace speclab::experiments
