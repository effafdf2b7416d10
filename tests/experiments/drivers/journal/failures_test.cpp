// A generation that fails is a row of failures.csv; nothing else changes.
#include "experiments/drivers/journal/failures.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <thread>

#include "analysis/tables/run_folder.h"
#include "experiments/drivers/workers/shard.h"
#include "tests/experiments/drivers/support/failure_rows.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/heap_peak.h"

namespace speclab::experiments {
namespace {

using testing::expect_one_failure_more;
using testing::lines_of;
using testing::SmallExperiment;

/// Throws `thrown` in the `which`-th call from now on.
template <typename Thrown>
std::function<void()> at_call(int which, Thrown thrown) {
  return [left = which, thrown]() mutable {
    if (--left == 0) throw thrown;
  };
}

TEST(Failures, EveryAllocationThatFailsCostsAtMostItsGeneration) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const int first_of_generations = [&] {
    int calls = 0;
    experiment.engines().on_allocation = [&] { ++calls; };
    experiment.prepare(plan, "counted");
    return calls;
  }();
  int num_failed = 0, num_stopped = 0;
  const auto fail_at = [&](int k) {
    const std::string name = "fails" + std::to_string(k);
    experiment.engines().on_allocation = at_call(k, std::bad_alloc());
    try {
      experiment.run(plan, name);
      experiment.engines().on_allocation = [] {};
      if (std::filesystem::exists(experiment.folder(name) + "/failures.csv")) {
        ++num_failed;
        expect_one_failure_more(experiment, name, "out_of_memory");
      }
    } catch (const std::bad_alloc&) {
      ++num_stopped;  // a pilot or a cost: nothing to go on with, but to resume
    }
    experiment.engines().on_allocation = [] {};
    experiment.run(plan, name);
    for (const char* file : testing::kDeterministicFiles)
      EXPECT_EQ(experiment.file(name, file), experiment.file("whole", file)) << file << " " << k;
    EXPECT_FALSE(std::filesystem::exists(experiment.folder(name) + "/failures.csv"));
    std::filesystem::remove_all(experiment.folder(name));
  };
  for (int k = 1; k <= 200; ++k) fail_at(first_of_generations + k);
  EXPECT_EQ(num_failed, 200);
  EXPECT_EQ(num_stopped, 0);
  for (int k = 1; k <= first_of_generations; k += 1 + first_of_generations / 20) fail_at(k);
  EXPECT_GT(num_stopped, 5);
}

TEST(Failures, MemoryIsGivenBackBehindOne) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.prepare(plan, "run");
  int begun = 0, decoders_behind = -1;
  experiment.engines().on_generation = [&] {
    if (experiment.engines().num_decoders == 0)
      throw std::logic_error("a decoder that is not counted");
    ++begun;
    if (begun == 9) throw std::bad_alloc();
    if (begun == 10) decoders_behind = experiment.engines().num_decoders;
  };
  experiment.run(plan, "run");
  EXPECT_EQ(decoders_behind, 1) << "the next generation's own, as in a new process";
}

/// Where the twelfth generation begins, of a run in which the ninth found no memory and of one in
/// which it did.
TEST(Failures, MemoryIsThatOfARunWithoutOne) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  const auto bytes_of = [&](const std::string& name, int failing) {
    experiment.engines().on_generation = [] {};
    experiment.prepare(plan, name);
    double bytes = 0;
    experiment.engines().on_generation = [&, begun = 0]() mutable {
      ++begun;
      if (begun == failing) throw std::bad_alloc();
      if (begun == 12) bytes = static_cast<double>(testing::heap_bytes());
    };
    const auto before = static_cast<double>(testing::heap_bytes());
    experiment.run(plan, name);
    return bytes - before;
  };
  const double whole = bytes_of("whole", 0);
  EXPECT_GT(whole, 0);
  EXPECT_LE(bytes_of("failed", 9), 1.01 * whole);
}

TEST(Failures, EachKindHasItsStatus) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"exception", [] { throw std::runtime_error("odd, \"quoted\"\nand in lines"); }},
      {"exception", [] { throw ConfigError("no token is left"); }},
      {"out_of_memory", [] { throw OutOfMemoryError("full"); }},
      {"not_finite", [] { throw NotFiniteError("no number"); }},
      {"timeout", [] { throw TimeoutError("too long"); }}};
  for (const auto& [status, fail] : kinds) {
    experiment.engines().on_generation = [] {};
    const std::string name = std::string("run_") + status;
    std::filesystem::remove_all(experiment.folder(name));
    experiment.prepare(plan, name);
    experiment.engines().on_generation = [&, left = 12 + static_cast<int>(plan.cells.size()),
                                          fails = fail]() mutable {
      if (--left == 0) fails();
    };
    experiment.run(plan, name);
    expect_one_failure_more(experiment, name, status);
  }
}

/// A process whose device has failed cannot use it again: what it never tried is no failure.
TEST(Failures, OfTheDeviceEndTheMeasuringAndTheRestIsMeasuredLater) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  experiment.engines().on_generation = [&,
                                        left = 12 + static_cast<int>(plan.cells.size())]() mutable {
    if (--left <= 0) throw DeviceError("assert");
  };
  experiment.run(plan, "run");
  EXPECT_EQ(RunLog(plan, experiment.folder("run")).failures().size(), 1u);
  EXPECT_NE(experiment.file("run", "failures.csv").find(",device,assert,1\n"), std::string::npos);
  experiment.engines().on_generation = [] {};
  experiment.run(plan, "run");
  EXPECT_EQ(experiment.file("run", "rows.csv"), experiment.file("whole", "rows.csv"));
}

TEST(Failures, AreTriedOnceMoreAndThenNoMore) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  int tried = 0;
  bool fails = false;
  experiment.prepare(plan, "run");
  experiment.engines().on_sequence = [&](std::uint32_t sequence) {
    if (!fails || sequence != plan.sequence_id({.prompt = 3})) return;
    ++tried;
    throw std::runtime_error("again");
  };
  fails = true;
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
  EXPECT_EQ(tried, 6);  // the cells
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
  EXPECT_EQ(tried, 12);
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::was_complete);
  EXPECT_EQ(tried, 12);
  EXPECT_EQ(RunLog(plan, experiment.folder("run")).failures().begin()->second.attempts, 2);
  experiment.run(plan, RunOptions{.folder = "run", .retry_failed = true});
  EXPECT_EQ(tried, 18) << "once more, because that was asked for";
  EXPECT_EQ(RunLog(plan, experiment.folder("run")).failures().begin()->second.attempts, 3);
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::was_complete);
  EXPECT_EQ(lines_of(experiment.file("run", "failures.csv")).size(), 7u);
  EXPECT_EQ(analysis::read_run(experiment.folder("run")).failures.size(), 6u)
      << "each cell has one";
  fails = false;
  experiment.run(plan, RunOptions{.folder = "run", .retry_failed = true});
  EXPECT_EQ(RunLog(plan, experiment.folder("run")).rows().size(), plan.generations.size());
  EXPECT_EQ(experiment.run(plan, RunOptions{.folder = "run", .retry_failed = true}),
            RunOutcome::was_complete);
}

TEST(Failures, AGenerationMayTakeSoLongAndNoLonger) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  bool sleeps = true;
  experiment.engines().on_round = [&] {
    if (std::exchange(sleeps, false)) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  };
  Progress silent(Progress::Style::silent);
  sleeps = false;
  int measured = 0;
  experiment.engines().on_generation = [&] {
    sleeps = ++measured == static_cast<int>(plan.cells.size()) + 5;
  };
  run_experiment(plan,
                 {.folder = experiment.folder("run"), .limits = {.generation_timeout_s = 1.0}},
                 experiment.open_engines(), silent);
  expect_one_failure_more(experiment, "run", "timeout");
}

TEST(Failures, OfAShardAreTheRuns) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  experiment.prepare(plan, "run");
  experiment.engines().on_generation = at_call(9, std::runtime_error("once"));
  const auto hands = dealt(blocks_of(plan, plan.order), 2);
  for (int shard = 0; shard < 2; ++shard)
    experiment.measure(plan, "run", shard, hands[static_cast<std::size_t>(shard)]);
  experiment.merge(plan, "run");
  expect_one_failure_more(experiment, "run", "exception");
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
  EXPECT_EQ(experiment.file("run", "rows.csv"), experiment.file("whole", "rows.csv"));
}

TEST(Failures, AProcessThatEndedIsNoted) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.prepare(plan, "run");
  for (const int attempts : {1, 2})
    note_failure(plan, {.folder = experiment.folder("run")}, 3,
                 {.row_id = 7,
                  .status = FailureStatus::crash,
                  .message = "signal 11",
                  .attempts = attempts});
  experiment.run(plan, "run");
  const auto failures = lines_of(experiment.file("run", "failures.csv"));
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_TRUE(failures[1].ends_with(",crash,signal 11,2")) << failures[1];
}

}  // namespace
}  // namespace speclab::experiments
