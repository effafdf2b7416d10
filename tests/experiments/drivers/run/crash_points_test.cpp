// A crash at every call that changes a file, with every torn form of every write, and an error from
// every such call: the run that is begun again ends with the same bytes (SWP-1 and SWP-3).
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "experiments/drivers/journal/run_log.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/file_faults.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using speclab::testing::by_size;
using testing::FileCall;
using testing::FileFaults;
using testing::FileOperation;
using testing::FileVerdict;
using testing::SmallExperiment;

namespace fs = std::filesystem;

using Files = std::vector<std::string>;  ///< the deterministic ones

Files deterministic_files(const SmallExperiment& experiment, const std::string& run) {
  Files files;
  for (const char* file : testing::kDeterministicFiles) files.push_back(experiment.file(run, file));
  return files;
}

/// How much of a write is on the disk when the process dies. Of other calls nothing or all: all is
/// the next call's nothing.
std::set<std::size_t> torn_sizes(const FileOperation& operation) {
  if (operation.call != FileCall::write) return {0};
  return {0, std::min<std::size_t>(1, operation.size), operation.size / 2, operation.size - 1,
          operation.size};
}

struct Tally {
  int calls = 0, wrecks = 0;
  int points = 0;  ///< calls that were crashed in
};

/// Runs a plan and, at each `stride`-th call, lets `meet` have every wreck that a crash in it could
/// leave. The names of both runs are folders of the experiment.
class CrashPoints {
 public:
  CrashPoints(const SmallExperiment& experiment, const Plan& plan, std::string wreck,
              int stride = 1)
      : experiment_(experiment), plan_(plan), wreck_(std::move(wreck)), stride_(stride) {}

  Tally run(const std::string& name, const std::function<void()>& meet) const {
    Tally tally;
    const FileFaults faults(experiment_.folder(name), [&](const FileOperation& operation) {
      if (tally.calls++ % stride_ != 0) return FileVerdict{};
      ++tally.points;
      for (const std::size_t torn_size : torn_sizes(operation)) {
        SCOPED_TRACE("call " + std::to_string(tally.calls) + " on " + operation.path + ", " +
                     std::to_string(torn_size) + " bytes written");
        leave_wreck(operation, torn_size, name);
        meet();
        ++tally.wrecks;
      }
      return FileVerdict{};
    });
    experiment_.run(plan_, name);
    return tally;
  }

 private:
  /// What the disk holds if the process dies in this call: a copy of the run's folder.
  void leave_wreck(const FileOperation& operation, std::size_t torn_size,
                   const std::string& name) const {
    const std::string from = experiment_.folder(name), to = experiment_.folder(wreck_);
    fs::remove_all(to);
    if (!fs::exists(from)) return;
    fs::copy(from, to, fs::copy_options::recursive);
    if (operation.call != FileCall::write) return;
    std::ofstream(to + operation.path.substr(from.size()), std::ios::binary | std::ios::app)
        .write(operation.data, static_cast<std::streamsize>(torn_size));
  }

  const SmallExperiment& experiment_;
  const Plan& plan_;
  std::string wreck_;
  int stride_;
};

/// Cells of one prompt: 36 usually, 210 where tests are whole. Every cell makes the same calls, so
/// that more of them show only what the length of a journal changes.
Plan large_plan(const SmallExperiment& experiment) {
  return experiment.plan(
      {by_size("axes.temperature=[0, 0.1]", "axes.temperature=[0, 0.1, 0.2, 0.3]",
               "axes.temperature=[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]"),
       R"(prompts.categories=["chat"])", "prompts.per_category=1", "prompts.new_tokens=8",
       by_size(R"(axes.policy=["constant:1", "heuristic"])",
               R"(axes.policy=["constant:1", "constant:2", "constant:3", "heuristic"])",
               R"(axes.policy=["constant:1", "constant:2", "constant:3", "constant:4",)"
               R"( "constant:5", "constant:6", "constant:7", "constant:8", "constant:9",)"
               R"( "heuristic"])")});
}

class CrashPointsTest : public ::testing::Test {
 protected:
  void expect_resumed(const std::string& run) {
    experiment_.run(plan_, run);
    ASSERT_EQ(deterministic_files(experiment_, run), whole_);
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const Plan plan_ = large_plan(experiment_);
  const Files whole_ = (experiment_.run(plan_, "whole"), deterministic_files(experiment_, "whole"));
};

TEST_F(CrashPointsTest, EveryOneOfASweepIsResumedToTheSameBytes) {
  ASSERT_GE(plan_.cells.size(), by_size(10u, 36u, 200u));
  const Tally tally =
      CrashPoints(experiment_, plan_, "wreck").run("run", [&] { expect_resumed("wreck"); });
  RecordProperty("calls", tally.calls);
  RecordProperty("wrecks", tally.wrecks);
  EXPECT_GE(tally.calls, by_size(50, 150, 1000));
  EXPECT_GE(tally.wrecks, by_size(100, 300, 2000));
}

/// A crash, and another one while its wreck is resumed.
TEST_F(CrashPointsTest, ACrashDuringResumptionIsResumedToo) {
  std::vector<std::string> firsts;
  const CrashPoints first(experiment_, plan_, "wreck", by_size(29, 29, 53));
  first.run("run", [&] {
    firsts.push_back("first" + std::to_string(firsts.size()));
    if (fs::exists(experiment_.folder("wreck")))
      fs::rename(experiment_.folder("wreck"), experiment_.folder(firsts.back()));
  });
  int points = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const CrashPoints second(experiment_, plan_, "second",
                             by_size(19, 31, 79) + static_cast<int>(i));
    points += second.run(firsts[i], [&] { expect_resumed("second"); }).points;
  }
  RecordProperty("points", points);
  EXPECT_GE(points, by_size(10, 40, 200));
}

/// A crash while what an edited config adds is measured, into a second section of the journal.
/// Whoever goes on with either config has its files.
TEST(CrashPointsOfAnEditedConfig, AreResumedToTheSameBytesByTheNewConfigAndByTheOld) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan before = experiment.plan({"prompts.new_tokens=8", R"(axes.drafter="bigram")"});
  const Plan after = experiment.plan({"prompts.new_tokens=8", "axes.temperature=[0.9, 0.5]",
                                      R"(axes.policy=["constant:2", "constant:3"])"});
  experiment.run(before, "old");
  experiment.run(after, "new");
  const Files of_before = deterministic_files(experiment, "old"),
              of_after = deterministic_files(experiment, "new");
  experiment.run(before, "run");
  int turn = 0;
  const Tally tally = CrashPoints(experiment, after, "wreck").run("run", [&] {
    const bool goes_back = turn++ % 3 == 0;
    experiment.run(goes_back ? before : after, "wreck");
    ASSERT_EQ(deterministic_files(experiment, "wreck"), goes_back ? of_before : of_after);
  });
  RecordProperty("calls", tally.calls);
  RecordProperty("wrecks", tally.wrecks);
  EXPECT_GE(tally.calls, 200);
  EXPECT_GE(tally.wrecks, 400);
  EXPECT_EQ(RunLog(experiment.folder("run")).sections().size(), 2u);
}

/// Errors a call may end with; a write may also stop early.
std::vector<FileVerdict> faults_of(const FileOperation& operation) {
  std::vector<FileVerdict> faults;
  for (const int error : {ENOSPC, EDQUOT, EIO, EINTR, EACCES}) faults.push_back({.error = error});
  if (operation.call == FileCall::write && operation.size > 1)
    faults.push_back({.error = 0, .size = operation.size / 2});
  return faults;
}

/// Every line of a file that stands under its own name is a line of the whole run's file.
void expect_no_half_written_file(const SmallExperiment& experiment, const std::string& run) {
  for (const char* name : testing::kDeterministicFiles) {
    if (!fs::exists(experiment.folder(run) + "/" + name)) continue;
    const std::string part = experiment.file(run, name),
                      whole = "\n" + experiment.file("whole", name);
    ASSERT_TRUE(part.ends_with('\n')) << name;
    for (std::size_t begin = 0, end; (end = part.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      ASSERT_NE(whole.find("\n" + part.substr(begin, end + 1 - begin)), std::string::npos)
          << name << ": " << part.substr(begin, end - begin);
  }
}

/// What a run is told nothing of, or goes on from: a call that was interrupted, a write that
/// stopped early (the rest is written), a file that is not there to be taken away, the lock, which
/// is no longer needed when it is closed.
bool may_be_survived(const FileOperation& operation, const FileVerdict& verdict) {
  if (verdict.error == EINTR || verdict.error == 0) return true;
  return (operation.call == FileCall::unlink && operation.path.ends_with(".part")) ||
         (operation.call == FileCall::close && operation.path.ends_with("/lock"));
}

/// Sees to it that a descriptor whose sync has failed is not synced again.
class SyncWatch {
 public:
  void see(const FileOperation& operation, const FileVerdict& verdict) {
    if (operation.call == FileCall::close) failed_.erase(operation.descriptor);
    if (operation.call != FileCall::fsync) return;
    EXPECT_FALSE(failed_.contains(operation.descriptor))
        << operation.path << " is synced again after a failed sync";
    if (verdict.error != 0) failed_.insert(operation.descriptor);
  }

 private:
  std::set<int> failed_;
};

struct FaultyRun {
  bool has_call = false;   ///< the run makes so many calls
  bool has_fault = false;  ///< the call has such a fault
};

void expect_message_of(const Error& error, const FileVerdict& made, const std::string& folder) {
  EXPECT_EQ(error.code(), ExitCode::cannot_write) << error.what();
  const std::string message = error.what();
  EXPECT_NE(message.find(std::strerror(made.error)), std::string::npos) << message;
  EXPECT_NE(message.find(folder), std::string::npos) << message;
}

/// Runs with the `fault`-th fault of the `call`-th call, which must end the run unless it may be
/// survived.
FaultyRun run_with_fault(const SmallExperiment& experiment, const Plan& plan, int call,
                         std::size_t fault) {
  int calls = 0;
  FaultyRun faulty;
  bool must_end = false;
  FileVerdict made;
  SyncWatch syncs;
  try {
    const FileFaults faults(experiment.folder("faulty"), [&](const FileOperation& operation) {
      const std::vector<FileVerdict> all = faults_of(operation);
      const bool is_it = calls++ == call, strikes = is_it && fault < all.size();
      const FileVerdict verdict = strikes ? all[fault] : FileVerdict{};
      if (is_it) faulty = {.has_call = true, .has_fault = strikes};
      if (strikes) made = verdict, must_end = !may_be_survived(operation, verdict);
      syncs.see(operation, verdict);
      return verdict;
    });
    experiment.run(plan, "faulty");
    EXPECT_FALSE(must_end) << "the run ended well in spite of: " << std::strerror(made.error);
  } catch (const Error& error) {
    expect_message_of(error, made, experiment.folder("faulty"));
  }
  return faulty;
}

TEST(FileErrors, OfEveryCallLeaveARunThatGoesOnToTheSameBytes) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan({R"(prompts.categories=["chat"])", "axes.temperature=0"});
  experiment.run(plan, "whole");
  const Files whole = deterministic_files(experiment, "whole");
  int num_faults = 0;
  for (int call = 0;; ++call) {
    FaultyRun run;
    for (std::size_t fault = 0; (run = run_with_fault(experiment, plan, call, fault)).has_fault;
         ++fault, ++num_faults) {
      SCOPED_TRACE("call " + std::to_string(call) + ", fault " + std::to_string(fault));
      expect_no_half_written_file(experiment, "faulty");
      experiment.run(plan, "faulty");
      ASSERT_EQ(deterministic_files(experiment, "faulty"), whole);
      fs::remove_all(experiment.folder("faulty"));
    }
    if (!run.has_call) break;
    fs::remove_all(experiment.folder("faulty"));
  }
  RecordProperty("faults", num_faults);
  EXPECT_GE(num_faults, 500);
}

}  // namespace
}  // namespace speclab::experiments
