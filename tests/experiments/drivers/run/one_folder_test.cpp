// Several processes in one folder: each generation is measured once, and who comes late is told who
// is there (SWP-6).
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/support/child_process.h"

namespace speclab::experiments {
namespace {

using testing::ChildProcess;
using testing::SmallExperiment;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kBadRefusal = 99;  ///< without a word of who is there

class OneFolder : public ::testing::Test {
 protected:
  /// Runs in the shared folder, in a process of its own.
  ChildProcess start(std::function<void()> on_generation = [] {}) {
    return ChildProcess([this, on_generation] {
      experiment_.engines().num_generations = 0;
      experiment_.engines().on_generation = on_generation;
      try {
        experiment_.run(plan_, "run");
        return 0;
      } catch (const LockedError& error) {
        return std::string(error.what()).find(" runs in this folder") != std::string::npos
                   ? static_cast<int>(error.code())
                   : kBadRefusal;
      }
    });
  }

  /// A process that stops for good in its third generation, the lock in its hands.
  ChildProcess start_and_hang() {
    ChildProcess holder = start([this] {
      if (experiment_.engines().num_generations == 3)
        write_file(hung_, ""), std::this_thread::sleep_for(1h);
    });
    while (!std::filesystem::exists(hung_)) std::this_thread::sleep_for(1ms);
    return holder;
  }

  void clear() { std::filesystem::remove_all(experiment_.folder("run")); }

  const SmallExperiment experiment_{testing::memory_folder()};
  const Plan plan_ = experiment_.plan();
  const std::string hung_ = experiment_.folder("hung");
  const RunOutcome whole_ = experiment_.run(plan_, "whole");
};

TEST_F(OneFolder, TakesOneOfManyProcessesAtATime) {
  int num_locked = 0;
  for (int round = 0; round < 100; ++round) {
    clear();
    std::vector<ChildProcess> processes;
    for (int i = 0; i < 2 + round % 7; ++i) processes.push_back(start());
    int num_done = 0;
    for (ChildProcess& process : processes) {
      const int code = process.wait();
      ASSERT_TRUE(code == 0 || code == static_cast<int>(ExitCode::locked)) << code;
      ++(code == 0 ? num_done : num_locked);
    }
    ASSERT_GE(num_done, 1);
    ASSERT_EQ(experiment_.file("run", "rows.csv"), experiment_.file("whole", "rows.csv"));
    ASSERT_EQ(experiment_.num_measured("run"), plan_.generations.size());
  }
  EXPECT_GT(num_locked, 0);
}

TEST_F(OneFolder, OfAStoppedProcessIsNotTakenOver) {
  ChildProcess holder = start_and_hang();
  holder.signal(SIGSTOP);
  const Clock::time_point begin = Clock::now();
  try {
    experiment_.run(plan_, "run");
    FAIL() << "taken over";
  } catch (const LockedError& error) {
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(holder.id()) + " on "),
              std::string::npos)
        << error.what();
  }
  EXPECT_LT(Clock::now() - begin, 1s);
}

TEST_F(OneFolder, OfAKilledProcessIsTakenOverAtOnce) {
  ChildProcess holder = start_and_hang();
  holder.signal(SIGKILL);
  EXPECT_EQ(holder.wait(), 128 + SIGKILL);
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(experiment_.run(plan_, "run"), RunOutcome::completed);
  EXPECT_LT(Clock::now() - begin, 2s);
  EXPECT_EQ(experiment_.file("run", "rows.csv"), experiment_.file("whole", "rows.csv"));
}

}  // namespace
}  // namespace speclab::experiments
