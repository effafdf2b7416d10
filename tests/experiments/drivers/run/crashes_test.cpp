// A process that a generation brings down: tried once more, then a row of failures.csv; being
// killed is neither.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <utility>

#include "tests/experiments/drivers/support/failure_rows.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/child_process.h"

namespace speclab::experiments {
namespace {

using testing::expect_one_failure_more;
using testing::SmallExperiment;

/// Measures in a process of its own, which `end` ends in the measured generation number `which`.
/// @return its exit code, not 0
int run_that_ends(const SmallExperiment& experiment, const Plan& plan, int which,
                  const std::function<void()>& end) {
  testing::ChildProcess process([&] {
    experiment.engines().on_generation = [&end, left = static_cast<int>(plan.cells.size()) +
                                                       which]() mutable {  // warm-up comes first
      if (--left == 0) end();
    };
    experiment.run(plan, "run");
    return 0;
  });
  return process.wait();
}

TEST(Crashes, OfTheOnlyProcessAreTriedAgainAndTheSecondTimeARow) {
  for (const auto& [signal, message] : {std::pair(SIGSEGV, "signal 11 (Segmentation fault)"),
                                        std::pair(SIGABRT, "signal 6 (Aborted)")}) {
    const auto crash = [number = signal] { std::raise(number); };
    for (const bool again : {false, true}) {
      const SmallExperiment experiment(testing::memory_folder());
      const Plan plan = experiment.plan();
      experiment.run(plan, "whole");
      experiment.prepare(plan, "run");
      EXPECT_NE(run_that_ends(experiment, plan, 9, crash), 0);
      EXPECT_TRUE(std::filesystem::exists(experiment.folder("run") + "/crashed"));
      if (again) {
        EXPECT_NE(run_that_ends(experiment, plan, 1, crash), 0)
            << "what is tried once more comes first";
      }
      EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
      EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/crashed"));
      if (!again) {
        testing::expect_files_of(experiment, "whole", "run");
        EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/failures.csv"));
        continue;
      }
      expect_one_failure_more(experiment, "run", "crash");
      EXPECT_NE(experiment.file("run", "failures.csv")
                    .find(std::string(",its process ended by ") + message + ",2\n"),
                std::string::npos)
          << experiment.file("run", "failures.csv");
      EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::was_complete);
    }
  }
}

/// Uses a stack up, a little at a call.
int run_over(int depth) {
  std::array<char, 4096> room{};
  volatile char* here = room.data();
  *here = static_cast<char>(depth);
  return run_over(depth + 1) + *here;
}

TEST(Crashes, AreStacksThatRanOverToo) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer catches it itself";
#endif
  const auto crash = [] {
    const rlimit few{.rlim_cur = 8 << 20, .rlim_max = 8 << 20};
    ::setrlimit(RLIMIT_STACK, &few);
    run_over(0);
  };
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  for (const int which : {9, 1}) EXPECT_NE(run_that_ends(experiment, plan, which, crash), 0);
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
  expect_one_failure_more(experiment, "run", "crash");
  EXPECT_NE(experiment.file("run", "failures.csv").find("signal 11 (Segmentation fault),2\n"),
            std::string::npos)
      << experiment.file("run", "failures.csv");
}

TEST(Crashes, BeingKilledIsNoneHoweverOftenItHappens) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  for (const int which : {9, 1, 1})
    EXPECT_EQ(run_that_ends(experiment, plan, which, [] { std::raise(SIGKILL); }), 128 + SIGKILL);
  experiment.run(plan, "run");
  testing::expect_files_of(experiment, "whole", "run");
}

}  // namespace
}  // namespace speclab::experiments
