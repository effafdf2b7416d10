// Slurm tasks know their work by its key, so that an edited config neither changes nor repeats it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include "experiments/drivers/workers/run_on_slurm.h"
#include "experiments/drivers/workers/shard.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

/// A queue that takes every job and is empty at once.
class EditedConfigOnSlurm : public ::testing::Test {
 protected:
  EditedConfigOnSlurm() : path_(std::getenv("PATH")) {
    make_folder(experiment_.folder("bin"));
    put_program("sbatch", "echo 7");
    put_program("squeue", "");
    ::setenv("PATH", (experiment_.folder("bin") + ":" + path_).c_str(), 1);
  }
  ~EditedConfigOnSlurm() override { ::setenv("PATH", path_.c_str(), 1); }

  void put_program(const std::string& name, const std::string& script) const {
    const std::string file = experiment_.folder("bin") + "/" + name;
    write_file(file, "#!/bin/sh\n" + script + "\n");
    ::chmod(file.c_str(), 0755);
  }

  /// Submits what is missing, as `speclab run --slurm` does. @return whether anything was
  bool submit(const Plan& plan) const {
    Progress silent(Progress::Style::silent);
    const std::string script = experiment_.folder("run") + "/slurm/measure.sh";
    std::filesystem::remove(script);
    const SlurmRun run{.folder = experiment_.folder("run"),
                       .access = {.folder = experiment_.folder("run")},
                       .options = {.detach = true, .tasks = 3},
                       .command = [](const std::string& role) { return role; },
                       .check_interruption = [] {}};
    run_on_slurm(plan, run, silent);
    return std::filesystem::exists(script);
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
  const Plan before = experiment_.plan(),
             after = experiment_.plan({"axes.temperature=[0.7, 0.5, 0.0]"});
  ASSERT_TRUE(submit(before));
  EXPECT_EQ(work(before), before.generations.size());
  ASSERT_TRUE(submit(after));
  EXPECT_EQ(work(after), after.generations.size() - before.generations.size());
  experiment_.run(after, "fresh");
  for (const char* file : testing::kFilesAfterEdits)
    EXPECT_EQ(experiment_.file("run", file), experiment_.file("fresh", file)) << file;
  EXPECT_FALSE(submit(after)) << "nothing is missing";
}

TEST_F(EditedConfigOnSlurm, InAnotherOrderGivesTasksTheSameWork) {
  ASSERT_TRUE(submit(experiment_.plan()));
  const Plan reordered =
      experiment_.plan({"axes.temperature=[0.5, 0.0]", R"(axes.drafter=["tree", "bigram"])"});
  EXPECT_EQ(work(reordered), reordered.generations.size());
  experiment_.run(reordered, "fresh");
  EXPECT_EQ(experiment_.file("run", "rows.csv"), experiment_.file("fresh", "rows.csv"));
}

TEST_F(EditedConfigOnSlurm, IsNotForAnotherProcessWhileJobsAreInTheQueue) {
  const std::string folder = experiment_.folder("run");
  EXPECT_NO_THROW(refuse_beside_jobs(folder)) << "no jobs were submitted";
  ASSERT_TRUE(submit(experiment_.plan()));
  EXPECT_NO_THROW(refuse_beside_jobs(folder)) << "all have ended";
  put_program("squeue", "echo PENDING");
  EXPECT_THROW(refuse_beside_jobs(folder), LockedError);
  EXPECT_FALSE(submit(experiment_.plan({"axes.temperature=[0.5, 0.0]"})))
      << "these jobs do the same work";
  EXPECT_THROW(submit(experiment_.plan({"axes.temperature=0.7"})), LockedError);
  put_program("squeue", "exit 127");
  EXPECT_NO_THROW(refuse_beside_jobs(folder)) << "no Slurm here";
}

TEST(RowWatch, CountsEachRowOnceAndOnlyWhenItIsWhole) {
  const testing::TemporaryFolder folder;
  for (const char* shard : {"/shards/0", "/shards/11"}) make_folder(folder.path() + shard);
  RowWatch watch(folder.path());
  EXPECT_EQ(watch.num_new(), 0u);
  const std::string digest(Journal::kDigestLength, 'd'), row = digest + " row 1 k {}\n",
                                                         run = digest + " header 1 - {}\n" + row,
                                                         shard = row + digest + " row 1";
  folder.file("journal", run);
  folder.file("shards/11/journal", shard);
  EXPECT_EQ(watch.num_new(), 2u);
  EXPECT_EQ(watch.num_new(), 0u);
  folder.file("shards/11/journal", shard + " k {}\n");
  folder.file("journal", run + digest + " pace 1 row {\"row \": 0}\n" + row);
  EXPECT_EQ(watch.num_new(), 2u);
  folder.file("journal", row);
  EXPECT_EQ(watch.num_new(), 1u) << "begun again";
}

TEST_F(EditedConfigOnSlurm, OfWhichATaskHasNoWorkIsRefused) {
  ASSERT_TRUE(submit(experiment_.plan()));
  EXPECT_THROW(
      task_rows(experiment_.plan({"axes.temperature=[0.0]"}), experiment_.folder("run"), 0),
      DataError);
}

}  // namespace
}  // namespace speclab::experiments
