// Whoever measures what, in which order: the files are those of one process.
#include "experiments/drivers/workers/shard.h"
#include "experiments/drivers/journal/run_log.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/run/run_journals.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"

namespace speclab::experiments {
namespace {

using testing::expect_files_of;
using testing::SmallExperiment;

TEST(Shards, AnyPartitionInAnyOrderMakesTheSameFiles) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan =
      experiment.plan({R"(axes.verifier=["rejection", "lenient"])", "axes.drafter=bigram"});
  experiment.run(plan, "whole");
  std::mt19937 chance(1);
  for (const std::size_t num_shards : {1, 2, 3, 7}) {
    const std::string name = "shards" + std::to_string(num_shards);
    experiment.prepare(plan, name);
    std::vector<std::size_t> rows = plan.order;
    std::ranges::shuffle(rows, chance);
    std::vector<std::vector<std::size_t>> hands(num_shards);
    for (const std::size_t row : rows) hands[chance() % num_shards].push_back(row);
    for (std::size_t shard = num_shards; shard-- > 0;)
      experiment.measure(plan, name, static_cast<int>(shard), hands[shard]);
    experiment.merge(plan, name);
    expect_files_of(experiment, "whole", name);
    EXPECT_EQ(experiment.run(plan, name), RunOutcome::was_complete);
  }
}

TEST(Shards, WithAnySubsetMissingTheFilesHoldTheRestAndOneProcessGoesOn) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  std::mt19937 chance(2);
  for (int trial = 0; trial < 6; ++trial) {
    const std::string name = "part" + std::to_string(trial);
    experiment.prepare(plan, name);
    std::vector<std::vector<std::size_t>> hands(2);
    std::size_t measured = 0;
    for (const std::size_t row : plan.order)
      if (chance() % 3 != 0) {
        hands[chance() % 2].push_back(row);
        ++measured;
      }
    for (int shard = 0; shard < 2; ++shard)
      experiment.measure(plan, name, shard, hands[static_cast<std::size_t>(shard)]);
    experiment.merge(plan, name);
    const std::string rows = experiment.file(name, "rows.csv");
    EXPECT_EQ(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')), 1 + measured);
    EXPECT_EQ(experiment.run(plan, name), RunOutcome::completed);
    expect_files_of(experiment, "whole", name);
  }
}

TEST(Shards, AutoWeighsTheCostsThatWereMeasuredOnce) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan({"axes.policy=auto"});
  experiment.prepare(plan, "one");
  make_folder(experiment.folder("two"));
  write_file(experiment.folder("two") + "/journal", experiment.file("one", "journal"));
  experiment.run(plan, "one");
  const auto hands = dealt(blocks_of(plan, plan.order), 2);
  for (int shard = 0; shard < 2; ++shard)
    experiment.measure(plan, "two", shard, hands[static_cast<std::size_t>(shard)]);
  experiment.merge(plan, "two");
  expect_files_of(experiment, "one", "two");
}

/// What is not measured by any journal, in the plan's order.
std::vector<std::size_t> open_rows(const SmallExperiment& experiment, const Plan& plan,
                                   const std::string& name) {
  const RunJournals journals(plan, {.folder = experiment.folder(name)});
  return open_generations(plan, journals.log());
}

TEST(Shards, OfARunWhoseConfigWasEditedHaveSectionsToo) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan before = experiment.plan({"axes.temperature=[0.5, 0.0]"});
  const Plan after =
      experiment.plan({"axes.temperature=[0.9, 0.0, 0.5]", R"(axes.drafter=["tree", "unigram"])"});
  for (const auto& [plan, name] : {std::pair(&before, "old"), std::pair(&after, "new")})
    experiment.run(*plan, name);
  for (const Plan* plan : {&before, &after}) {
    experiment.prepare(*plan, "run");
    const auto hands = dealt(blocks_of(*plan, open_rows(experiment, *plan, "run")), 2);
    for (int shard = 0; shard < 2; ++shard)
      experiment.measure(*plan, "run", shard, hands[static_cast<std::size_t>(shard)]);
    experiment.merge(*plan, "run");
    expect_files_of(experiment, plan == &before ? "old" : "new", "run");
    EXPECT_EQ(experiment.run(*plan, "run"), RunOutcome::was_complete);
  }
  EXPECT_EQ(RunLog(shard_folder(experiment.folder("run"), 0)).sections().size(), 2u);
  EXPECT_TRUE(open_rows(experiment, before, "run").empty())
      << "what the config no longer has is kept";
  experiment.merge(before, "run");
  expect_files_of(experiment, "old", "run");
}

TEST(Shards, AreNotForAConfigThatNothingWasPreparedFor) {
  const SmallExperiment experiment(testing::memory_folder());
  experiment.prepare(experiment.plan(), "run");
  EXPECT_THROW(experiment.measure(experiment.plan({"axes.temperature=0.9"}), "run", 0, {0}),
               DataError);
}

TEST(Shards, ARowThatTwoShardsMeasuredStandsOnce) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "twice");
  for (int shard = 0; shard < 2; ++shard) experiment.measure(plan, "twice", shard, plan.order);
  experiment.merge(plan, "twice");
  expect_files_of(experiment, "whole", "twice");
}

TEST(Shards, RefuseAShardOfAnotherRunAndOneThatIsBeingMeasured) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.prepare(plan, "run");
  experiment.measure(plan, "run", 0, {0, 1});
  {
    const RunLock busy(shard_folder(experiment.folder("run"), 0));
    EXPECT_THROW(experiment.merge(plan, "run"), LockedError);
  }
  experiment.engines().sha256 = "other";
  experiment.prepare(plan, "stranger");
  experiment.engines().sha256 = "fa4e";
  std::filesystem::copy_file(experiment.folder("stranger") + "/journal",
                             experiment.folder("run") + "/shards/0/journal",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(experiment.merge(plan, "run"), DriftError);
}

TEST(Shards, MeasureNothingThatWasNotPreparedOrIsAnotherMachines) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  EXPECT_THROW(experiment.measure(plan, "bare", 0, {0}), DataError);
  experiment.prepare(plan, "run");
  experiment.engines().dtype = "bfloat16";
  EXPECT_THROW(experiment.measure(plan, "run", 0, {0}), DriftError);
}

TEST(Shards, KeepTogetherWhatIsCompared) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan({"experiment.repetitions=2"});
  const auto blocks = blocks_of(plan, plan.order);
  EXPECT_EQ(blocks.size(), 4u * 2u * 2u);  // prompts, repetitions, temperatures
  std::set<std::size_t> seen;
  for (const auto& hand : dealt(blocks, 5)) seen.insert(hand.begin(), hand.end());
  EXPECT_EQ(seen.size(), plan.generations.size());
  EXPECT_TRUE(dealt(blocks, 40).back().empty());
}

}  // namespace
}  // namespace speclab::experiments
