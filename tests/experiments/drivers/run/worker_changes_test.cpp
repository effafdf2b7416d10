// Runs in worker processes that go on after an edit, a repair or with another number of workers.
#include <gtest/gtest.h>

#include "experiments/drivers/journal/journal.h"
#include "experiments/drivers/journal/run_log.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/experiments/drivers/support/forked_run.h"
#include "tests/experiments/drivers/support/same_files.h"

namespace speclab::experiments {
namespace {

using testing::expect_files_of;
using testing::ForkedRun;
using testing::SmallExperiment;

TEST(Workers, GoOnFromAnEditedConfigAndMeasureOnlyWhatIsNew) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan before = experiment.plan({"axes.temperature=[0.5]"}),
             after = experiment.plan(
                 {"axes.temperature=[0.9, 0.5]", R"(axes.drafter=["tree", "bigram", "unigram"])"});
  experiment.run(after, "whole");
  EXPECT_EQ(ForkedRun(experiment, before, "run").run(2), RunOutcome::completed);
  const std::string first = experiment.file("run", "shards/0/journal");
  EXPECT_EQ(ForkedRun(experiment, after, "run").run(2), RunOutcome::completed);
  expect_files_of(experiment, "whole", "run");
  EXPECT_EQ(experiment.file("run", "shards/0/journal").substr(0, first.size()), first);
  std::size_t rows = 0;
  for (const char* shard : {"run/shards/0", "run/shards/1"}) {
    const RunLog log(experiment.folder(shard));
    for (const auto& [number, section] : log.sections()) rows += section.rows.size();
  }
  EXPECT_EQ(rows, after.generations.size()) << "each once: the config only got more";
  EXPECT_EQ(ForkedRun(experiment, after, "run").run(2), RunOutcome::was_complete);
}

TEST(Workers, HaveAPilotThatARepairCouldNotSaveMeasuredAnew) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  std::string journal = experiment.file("run", "journal");
  journal[journal.find(" pilot ") + 20] ^= 1;
  write_file(experiment.folder("run") + "/journal", journal);
  EXPECT_EQ(Journal::repair(experiment.folder("run")).num_lost, 1u);
  EXPECT_EQ(ForkedRun(experiment, plan, "run").run(1), RunOutcome::completed);
  expect_files_of(experiment, "whole", "run");
}

TEST(Workers, InAnotherNumberGoOnInASectionOfTheirOwnWhereThatIsAllowed) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  experiment.measure(plan, "run", 0, {0, 1, 2});
  ForkedRun run(experiment, plan, "run");
  EXPECT_THROW(run.run(2), Error);
  run.allow_mixed = true;
  EXPECT_EQ(run.run(2), RunOutcome::completed);
  expect_files_of(experiment, "whole", "run");
  EXPECT_NE(experiment.file("run", "manifest.toml").find("differs = [\"workers: was 1, now 2\"]"),
            std::string::npos)
      << experiment.file("run", "manifest.toml");
}

TEST(Workers, AnotherNumberOfThemIsAnotherRun) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.prepare(plan, "run");
  try {
    experiment.measure(plan, "run", 0, {0});
    Progress silent(Progress::Style::silent);
    run_experiment(plan, {.folder = experiment.folder("run"), .workers = 2},
                   experiment.open_engines(), silent);
    FAIL() << "went on";
  } catch (const DriftError& error) {
    EXPECT_NE(std::string(error.what()).find("workers: was 1, now 2"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace speclab::experiments
