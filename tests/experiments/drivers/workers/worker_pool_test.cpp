// Worker processes: whatever is killed, whenever, the files are those of one process that never
// was.
#include "experiments/drivers/workers/run_in_workers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "experiments/drivers/workers/worker_process.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/forked_run.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using testing::exit_code_of;
using testing::expect_files_of;
using testing::ForkedRun;
using testing::SmallExperiment;

/// True once, in whichever process asks first.
bool is_first(const std::string& mark) {
  const int descriptor = ::open(mark.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

/// Runs, in a process of its own, that is killed after a while. @return whether it ended before
bool run_until_killed(const ForkedRun& run, int workers, std::chrono::microseconds after) {
  WorkerProcess process([&] { return exit_code_of([&] { run.run(workers); }); });
  const auto deadline = std::chrono::steady_clock::now() + after;
  while (std::chrono::steady_clock::now() < deadline) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
      return WEXITSTATUS(process.wait()) == 0;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  process.signal(SIGKILL);
  process.wait();
  return false;
}

/// Whether the run's workers are there: what comes before is its preparation.
bool is_measuring(const SmallExperiment& experiment, const std::string& run) {
  return std::filesystem::exists(experiment.folder(run) + "/shards/lock");
}

TEST(Workers, OneTwoOrFourInAnyOrderAndUpToFiveKillsMakeTheSameFiles) {
  const SmallExperiment experiment(testing::memory_folder());
  Plan plan = experiment.plan({"axes.drafter=bigram", "axes.temperature=[0.5]"});
  experiment.run(plan, "whole");
  std::mt19937 chance(9);
  int num_kills = 0, num_worker_kills = 0;
  const int trials = speclab::testing::by_size(30, 60, 200);
  for (int trial = 0; trial < trials; ++trial) {
    const std::string name = "run" + std::to_string(trial);
    const int workers = 1 << trial % 3;
    std::ranges::shuffle(plan.order, chance);
    const auto kills = static_cast<int>(chance() % 6);
    const std::uint32_t victim = plan.sequence_id({.prompt = chance() % 4});
    const std::string mark = experiment.folder("killed" + std::to_string(trial));
    experiment.engines().on_sequence = [&](std::uint32_t sequence) {
      const bool measures = is_measuring(experiment, name);
      if (kills > 3 && measures && sequence == victim && is_first(mark)) ::raise(SIGKILL);
    };
    const ForkedRun run(experiment, plan, name);
    for (int kill = 0; kill < kills; ++kill)
      num_kills +=
          run_until_killed(run, workers, std::chrono::microseconds(chance() % 40000)) ? 0 : 1;
    for (int resumed = 0; resumed < 3 && run.run(workers) == RunOutcome::completed; ++resumed) {
    }
    num_worker_kills += std::filesystem::exists(mark) ? 1 : 0;
    expect_files_of(experiment, "whole", name);
    EXPECT_FALSE(std::filesystem::exists(experiment.folder(name) + "/failures.csv"))
        << experiment.file(name, "failures.csv");
    EXPECT_EQ(run.run(workers), RunOutcome::was_complete);
    std::filesystem::remove_all(experiment.folder(name));
  }
  RecordProperty("kills", num_kills);
  RecordProperty("worker_kills", num_worker_kills);
  EXPECT_GT(num_kills, trials / 4);
  EXPECT_GT(num_worker_kills, trials / 10);
}

TEST(Workers, OneThatCrashesCostsItsGenerationAndIsReplaced) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL}) {
    const SmallExperiment experiment(testing::memory_folder());
    const Plan plan = experiment.plan();
    experiment.run(plan, "whole");
    ForkedRun run(experiment, plan, "run");
    experiment.engines().on_sequence = [&](std::uint32_t sequence) {
      const bool measures = is_measuring(experiment, "run");
      if (!measures || sequence != plan.sequence_id({.prompt = 2}) ||
          !is_first(experiment.folder("mark")))
        return;
      ::signal(signal, SIG_DFL);
      ::raise(signal);
    };
    EXPECT_EQ(run.run(2), RunOutcome::completed);
    const std::string failures = experiment.file("run", "failures.csv");
    EXPECT_EQ(std::count(failures.begin(), failures.end(), '\n'), 2) << failures;
    EXPECT_NE(failures.find(",crash,its process ended by signal " + std::to_string(signal)),
              std::string::npos)
        << failures;
    const std::string rows = experiment.file("run", "rows.csv");
    EXPECT_EQ(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')),
              plan.generations.size());
    EXPECT_EQ(run.run(2), RunOutcome::completed);
    expect_files_of(experiment, "whole", "run");
  }
}

/// What ends a generation so that its process cannot be trusted with the next.
struct Ending {
  const char* name;
  void (*end)();
};

class WorkersThatEnd : public ::testing::TestWithParam<Ending> {};

TEST_P(WorkersThatEnd, AreReplaced) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  ForkedRun run(experiment, plan, "run");
  experiment.engines().on_sequence = [&](std::uint32_t sequence) {
    const bool measures = is_measuring(experiment, "run");
    if (measures)
      std::ofstream(experiment.folder("processes"), std::ios::app) << ::getpid() << "\n";
    if (measures && sequence == plan.sequence_id({.prompt = 1}) &&
        is_first(experiment.folder("mark")))
      GetParam().end();
  };
  EXPECT_EQ(run.run(1), RunOutcome::completed);
  EXPECT_NE(experiment.file("run", "failures.csv").find(std::string(",") + GetParam().name + ","),
            std::string::npos);
  std::ifstream lines(experiment.folder("processes"));
  std::set<std::string> processes;
  for (std::string line; std::getline(lines, line);) processes.insert(line);
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_EQ(run.run(1), RunOutcome::completed);
  expect_files_of(experiment, "whole", "run");
}

INSTANTIATE_TEST_SUITE_P(
    , WorkersThatEnd,
    ::testing::Values(Ending{"out_of_memory", [] { throw std::bad_alloc(); }},
                      Ending{"device", [] { throw DeviceError("device-side assert triggered"); }}),
    [](const auto& named) { return named.param.name; });

TEST(Workers, OneThatNeverAnswersIsKilledAndItsGenerationIsLate) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  ForkedRun run(experiment, plan, "run");
  run.limits.generation_timeout_s = 0.5;
  experiment.engines().on_sequence = [&](std::uint32_t sequence) {
    const bool measures = is_measuring(experiment, "run");
    if (measures && sequence == plan.sequence_id({.prompt = 1}) &&
        is_first(experiment.folder("mark")))
      ::pause();
  };
  EXPECT_EQ(run.run(2), RunOutcome::completed);
  EXPECT_NE(experiment.file("run", "failures.csv").find(",timeout,no answer within 6 s"),
            std::string::npos)
      << experiment.file("run", "failures.csv");
}

TEST(Workers, ThatDieBeforeTheyMeasureEndTheRunWithAReason) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  const ForkedRun run(experiment, plan, "run");
  Progress silent(Progress::Style::silent);
  WorkerRoles roles = run.roles(2);
  roles.work = [](int) { return ::raise(SIGKILL); };
  try {
    run_in_workers(plan, run.options(2), roles, experiment.open_engines(), silent);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("before they measure"), std::string::npos)
        << error.what();
  }
  roles.work = [](int) { return 9; };
  try {
    run_in_workers(plan, run.options(2), roles, experiment.open_engines(), silent);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::device_missing);
  }
}

TEST(Workers, AnInterruptionEndsAllWithinSecondsEvenThoseThatDoNotListenAndTheRunGoesOn) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  ForkedRun run(experiment, plan, "run");
  experiment.engines().on_sequence = [&](std::uint32_t sequence) {
    const bool measures = is_measuring(experiment, "run");
    if (!measures || sequence != plan.sequence_id({.prompt = 2}) ||
        !is_first(experiment.folder("mark")))
      return;
    for (;;) ::pause();
  };
  run.limits.check_interruption = [&] {
    if (std::filesystem::exists(experiment.folder("mark")))
      throw Error(ExitCode::terminated, "stop");
  };
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run.run(4), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a worker is left";
  EXPECT_TRUE(std::filesystem::exists(experiment.folder("run") + "/manifest.toml"));
  run.limits.check_interruption = [] {};
  EXPECT_EQ(run.run(4), RunOutcome::completed);
  expect_files_of(experiment, "whole", "run");
  EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/failures.csv"))
      << "what was given up has not failed";
}

TEST(Workers, ASecondRunInTheSameFolderIsRefused) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.prepare(plan, "run");
  make_folder(experiment.folder("run") + "/shards");
  const RunLock other(experiment.folder("run") + "/shards");
  EXPECT_THROW(ForkedRun(experiment, plan, "run").run(1), LockedError);
}

}  // namespace
}  // namespace speclab::experiments
