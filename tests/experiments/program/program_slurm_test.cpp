// `speclab run --slurm` on a real Slurm of two nodes on this machine: the built program with fake
// engines.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sim/system/files.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/experiments/program/program.h"
#include "tests/support/test_size.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_shell;
using testing::SmallExperiment;

/// Two nodes, from the first test on until the last.
class ProgramSlurm : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    loopback("stop");
    std::filesystem::remove_all(kCluster);
    const Outcome started = loopback("start");
    started_ = started.code;
    reason_ = started.output;
  }
  static void TearDownTestSuite() { loopback("stop"); }

  void SetUp() override {
    if (started_ == 9) GTEST_SKIP() << "no Slurm here: " << reason_;
    ASSERT_EQ(started_, 0) << reason_;
  }

  static Outcome loopback(const std::string& what) {
    return run_shell(SPECLAB_SOURCE_DIR "/scripts/slurm_loopback " +
                     what.substr(0, what.find(' ')) + " " + kCluster +
                     what.substr(std::min(what.find(' '), what.size())) + " 2>&1");
  }

  /// 28 cells over 4 prompts; a generation takes so long that tasks can be struck in the middle.
  std::string run_command(const std::string& name, const std::string& more) const {
    return std::string(kClient) + "SPECLAB_FAKE_MS=" + std::to_string(generation_ms_) + " " +
           SPECLAB_PROGRAM + " run " + experiment_.config_file() + " --set '" + kTemperatures +
           "' --set '" + kPolicies + "' --no-report --output " + experiment_.folder(name) + " " +
           more + " 2>&1";
  }

  /// The run that nothing disturbs, here and in no time: only tasks take theirs.
  void run_whole() const {
    const Outcome whole = run("whole", "");
    ASSERT_EQ(whole.code, 0) << whole.output;
    EXPECT_NE(whole.output.find("112 generations in 28 cells"), std::string::npos) << whole.output;
  }

  Outcome run(const std::string& name, const std::string& more) const {
    return run_shell(run_command(name, more));
  }

  std::size_t num_rows(const std::string& name) const {
    std::size_t rows = 0;
    std::error_code none;
    for (const auto& shard :
         std::filesystem::directory_iterator(experiment_.folder(name) + "/shards", none)) {
      std::ifstream journal(shard.path() / "journal");
      for (std::string line; std::getline(journal, line);)
        rows += line.find(" row ") != std::string::npos ? 1 : 0;
    }
    return rows;
  }

  bool has_rows_soon(const std::string& name, std::size_t rows) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (num_rows(name) < rows && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return num_rows(name) >= rows;
  }

  std::string logs(const std::string& name) const {
    return run_shell("tail -n 5 " + experiment_.folder(name) + "/slurm/*.log " + kCluster +
                     "/log/slurmctld.log 2>&1")
        .output;
  }

  /// What a client of Slurm says, without the end of the last line.
  static std::string ask(const std::string& client) {
    const Outcome outcome = run_shell(kClient + client + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    const std::string& answer = outcome.output;
    return answer.substr(0, answer.find_last_not_of('\n') + 1);
  }

  /// Jobs of a run, as squeue takes them.
  std::string jobs(const std::string& name) const {
    std::string ids = read_file(experiment_.folder(name) + "/slurm/jobs");
    ids.pop_back();
    std::ranges::replace(ids, '\n', ',');
    return ids;
  }

  bool is_queue_soon_empty(const std::string& name) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    const auto is_empty = [&] { return ask("squeue --noheader --jobs " + jobs(name)).empty(); };
    while (!is_empty() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return is_empty();
  }

  void expect_files_of_whole(const std::string& name) const {
    testing::expect_files_of(experiment_, "whole", name);
  }

  static constexpr const char* kCluster = SPECLAB_BINARY_DIR "/slurm_test";
  static constexpr const char* kClient = "SLURM_CONF=" SPECLAB_BINARY_DIR "/slurm_test/slurm.conf ";
  static constexpr const char* kTemperatures = "axes.temperature=[0.0, 0.1, 0.2, 0.3]";
  static constexpr const char* kPolicies =
      R"(axes.policy=["constant:2", "constant:3", "heuristic"])";
  static constexpr std::size_t kGenerations = 112;
  int generation_ms_ = 250;
  static bool is_quick() { return testing::by_size(true, false, false); }
  static constexpr const char* kLeftOut =
      "left out where tests are quick: Slurm notices the dead late";
  static inline int started_ = 0;
  static inline std::string reason_;
  const SmallExperiment experiment_{testing::memory_folder()};
};

TEST_F(ProgramSlurm, ControllerAndANodeKilledInTheMiddleTheFilesAreALocalRuns) {
  if (is_quick()) GTEST_SKIP() << kLeftOut;
  generation_ms_ = 500;
  run_whole();
  const Outcome submitted = run("run", "--slurm --slurm-tasks 4 --detach");
  ASSERT_EQ(submitted.code, 0) << submitted.output;
  ASSERT_TRUE(has_rows_soon("run", 4)) << logs("run");
  std::this_thread::sleep_for(
      std::chrono::seconds(7));  // the controller writes what it knows every five
  ASSERT_EQ(loopback("kill ctld").code, 0);
  ASSERT_TRUE(has_rows_soon("run", num_rows("run") + 8)) << logs("run");
  ASSERT_EQ(loopback("revive ctld").code, 0);
  ASSERT_TRUE(has_rows_soon("run", num_rows("run") + 8)) << logs("run");
  const std::string struck = ask("squeue --noheader --nodelist n1 --states RUNNING --format %A");
  ASSERT_FALSE(struck.empty()) << "no task ran there: " << logs("run");
  ASSERT_EQ(loopback("kill n1").code, 0);
  EXPECT_LT(num_rows("run"), kGenerations);
  const Outcome waited = run("run", "--slurm");
  EXPECT_EQ(waited.code, 0) << waited.output;
  EXPECT_NE(waited.output.find("are in the queue"), std::string::npos) << waited.output;
  expect_files_of_whole("run");
  EXPECT_FALSE(std::filesystem::exists(experiment_.folder("run") + "/failures.csv"));
  const std::string job = ask("scontrol show job " + struck.substr(0, struck.find('\n')));
  EXPECT_NE(job.find("Restarts=1"), std::string::npos)
      << "a task of the dead node began anew on the other: " << job;
  ASSERT_EQ(loopback("revive n1").code, 0);
}

/// Nobody waits: what dead tasks left only a later try can have measured, and only the last job can
/// have made the files.
TEST_F(ProgramSlurm, TasksThatAreKilledAreTriedAgainAndTheLastJobMakesTheFiles) {
  if (is_quick()) GTEST_SKIP() << kLeftOut;
  run_whole();
  ASSERT_EQ(run("run", "--slurm --slurm-tasks 4 --detach").code, 0);
  ASSERT_TRUE(has_rows_soon("run", 8)) << logs("run");
  ASSERT_EQ(run_shell("pkill -KILL -f '" + experiment_.folder("run") + " .*--shar[d] '").code, 0)
      << "no task ran";
  EXPECT_LT(num_rows("run"), kGenerations);
  ASSERT_TRUE(is_queue_soon_empty("run")) << logs("run");
  EXPECT_EQ(num_rows("run"), kGenerations) << logs("run");
  expect_files_of_whole("run");
  EXPECT_FALSE(std::filesystem::exists(experiment_.folder("run") + "/failures.csv"));
}

TEST_F(ProgramSlurm, SubmitsOnlyWhatIsMissing) {
  run_whole();
  ASSERT_EQ(run("run", "--slurm --slurm-tasks 4 --detach").code, 0);
  ASSERT_TRUE(has_rows_soon("run", 20)) << logs("run");
  ASSERT_EQ(run_shell(std::string(kClient) + "scancel $(cat " + experiment_.folder("run") +
                      "/slurm/jobs)")
                .code,
            0);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const std::size_t measured = num_rows("run");
  ASSERT_LT(measured, kGenerations);
  const Outcome again = run("run", "--slurm --slurm-tasks 3");
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(
      again.output.find(std::to_string(kGenerations - measured) + " generations in Slurm jobs"),
      std::string::npos)
      << again.output;
  expect_files_of_whole("run");
  EXPECT_EQ(num_rows("run"), kGenerations) << "nothing was measured twice";
}

TEST_F(ProgramSlurm, SaysWhatSbatchDoesNotLike) {
  testing::expect_refusal("--version; " + run_command("bad", "--slurm --slurm-partition nowhere"),
                          2, "--slurm: sbatch takes no job:");
  testing::expect_refusal("--version; " + run_command("bad", "--slurm --slurm-args --bogus"), 2,
                          "--bogus");
}

}  // namespace
}  // namespace speclab
