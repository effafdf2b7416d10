// Slurm tasks know their work by its key, so that an edited config neither changes nor repeats it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include "experiments/drivers/run/shard.h"
#include "experiments/drivers/slurm/run_on_slurm.h"
#include "sim/core/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

/// A queue that takes every job and is empty at once.
class EditedConfigOnSlurm : public ::testing::Test {
 protected:
  EditedConfigOnSlurm() : path_(std::getenv("PATH")) {
    make_folder(experiment_.folder("bin"));
    for (const auto& [name, script] : {std::pair("sbatch", "#!/bin/sh\necho 7\n"), std::pair("squeue", "#!/bin/sh\n")}) {
      const std::string file = experiment_.folder("bin") + "/" + name;
      write_file(file, script);
      ::chmod(file.c_str(), 0755);
    }
    ::setenv("PATH", (experiment_.folder("bin") + ":" + path_).c_str(), 1);
  }
  ~EditedConfigOnSlurm() override { ::setenv("PATH", path_.c_str(), 1); }

  /// Submits what is missing, as `speclab run --slurm` does. @return whether anything was
  bool submit(const Plan& plan) const {
    Progress silent(Progress::Style::silent);
    std::filesystem::remove_all(experiment_.folder("run") + "/slurm");
    const SlurmRun run{.folder = experiment_.folder("run"), .access = {.folder = experiment_.folder("run")}, .options = {.tasks = 3}, .command = [](const std::string& role) { return role; }, .check_interruption = [] {}};
    run_on_slurm(plan, run, silent);
    return std::filesystem::exists(experiment_.folder("run") + "/slurm/measure.sh");
  }

  /// What the tasks do. @return generations
  std::size_t work(const Plan& plan) const {
    experiment_.prepare(plan, "run");
    std::set<std::size_t> all;
    for (int task = 0; task < 3; ++task) {
      const std::vector<std::size_t> rows = task_rows(plan, experiment_.folder("run"), task);
      experiment_.measure(plan, "run", task, rows);
      all.insert(rows.begin(), rows.end());
    }
    experiment_.merge(plan, "run");
    return all.size();
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const std::string path_;
};

TEST_F(EditedConfigOnSlurm, SubmitsOnlyWhatIsNew) {
  const Plan before = experiment_.plan(), after = experiment_.plan({"axes.temperature=[0.7, 0.5, 0.0]"});
  ASSERT_TRUE(submit(before));
  EXPECT_EQ(work(before), before.generations.size());
  ASSERT_TRUE(submit(after));
  EXPECT_EQ(work(after), after.generations.size() - before.generations.size());
  experiment_.run(after, "fresh");
  for (const char* file : {"rows.csv", "rounds.csv", "texts.jsonl"}) EXPECT_EQ(experiment_.file("run", file), experiment_.file("fresh", file)) << file;
  EXPECT_FALSE(submit(after)) << "nothing is missing";
}

TEST_F(EditedConfigOnSlurm, InAnotherOrderGivesTasksTheSameWork) {
  ASSERT_TRUE(submit(experiment_.plan()));
  const Plan reordered = experiment_.plan({"axes.temperature=[0.5, 0.0]", R"(axes.drafter=["tree", "bigram"])"});
  EXPECT_EQ(work(reordered), reordered.generations.size());
  experiment_.run(reordered, "fresh");
  EXPECT_EQ(experiment_.file("run", "rows.csv"), experiment_.file("fresh", "rows.csv"));
}

TEST_F(EditedConfigOnSlurm, OfWhichATaskHasNoWorkIsRefused) {
  ASSERT_TRUE(submit(experiment_.plan()));
  EXPECT_THROW(task_rows(experiment_.plan({"axes.temperature=[0.0]"}), experiment_.folder("run"), 0), DataError);
}

}  // namespace
}  // namespace speclab::experiments
