// Folders that vanish, move, are links or have odd names, disks that are full, clocks that go back:
// a defined end, and nothing lost (SWP-12).
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/child_process.h"

namespace speclab::experiments {
namespace {

namespace fs = std::filesystem;
using testing::SmallExperiment;

constexpr std::time_t kDaySeconds = 24 * 60 * 60;
std::time_t clock_offset_seconds = 0;  ///< of the time of day, for this test program

class HostileSurroundings : public ::testing::Test {
 protected:
  HostileSurroundings() { experiment_.run(plan_, "whole"); }

  void expect_whole(const std::string& run) {
    for (const char* file : testing::kDeterministicFiles)
      EXPECT_EQ(experiment_.file(run, file), experiment_.file("whole", file));
  }
  /// Does something to the folder "run" in the middle of its run, which then ends as one that
  /// cannot write.
  void expect_cannot_write_after(const std::function<void()>& change) {
    experiment_.engines().num_generations = 0;
    experiment_.engines().on_generation = [this, change] {
      if (experiment_.engines().num_generations == 20) change();
    };
    EXPECT_THROW(experiment_.run(plan_, "run"), WriteError);
    experiment_.engines().on_generation = [] {};
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const Plan plan_ =
      experiment_.plan({"prompts.new_tokens=96"});  // more than twenty pages of files
};

TEST_F(HostileSurroundings, AFolderDeletedInTheMiddle) {
  expect_cannot_write_after([this] { fs::remove_all(experiment_.folder("run")); });
  experiment_.run(plan_, "run");
  expect_whole("run");
}

TEST_F(HostileSurroundings, AJournalDeletedInTheMiddleIsNotBegunAnew) {
  expect_cannot_write_after([this] { fs::remove(experiment_.folder("run") + "/journal"); });
  EXPECT_FALSE(fs::exists(experiment_.folder("run") + "/journal"));
}

TEST_F(HostileSurroundings, AFolderMovedInTheMiddleGoesOnWhereItIs) {
  expect_cannot_write_after(
      [this] { fs::rename(experiment_.folder("run"), experiment_.folder("moved")); });
  experiment_.run(plan_, "moved");
  expect_whole("moved");
}

TEST_F(HostileSurroundings, ALinkToAFolder) {
  fs::create_directory(experiment_.folder("real"));
  fs::create_directory_symlink(experiment_.folder("real"), experiment_.folder("link"));
  experiment_.run(plan_, "link");
  expect_whole("real");
}

TEST_F(HostileSurroundings, TheLongestNameAndOneLonger) {
  const std::string longest(255, 'n');
  experiment_.run(plan_, longest);
  expect_whole(longest);
  EXPECT_THROW(experiment_.run(plan_, longest + "n"), WriteError);
}

TEST_F(HostileSurroundings, NamesOfOtherScriptsAndNamesThatAreNoText) {
  for (const std::string name :
       {"πρόχειρο 実験 🧪", "blank and 'quotes'\"", "no\xfftext", "-dash"}) {
    experiment_.run(plan_, name);
    expect_whole(name);
  }
}

TEST_F(HostileSurroundings, AFolderThatCannotBeMade) {
  fs::create_directory_symlink("/proc/self", experiment_.folder("run"));
  EXPECT_THROW(experiment_.run(plan_, "run"), WriteError);
}

TEST_F(HostileSurroundings, AFileWhereTheFolderShouldBe) {
  write_file(experiment_.folder("run"), "precious");
  EXPECT_THROW(experiment_.run(plan_, "run"), WriteError);
  EXPECT_EQ(read_file(experiment_.folder("run")), "precious");
}

TEST_F(HostileSurroundings, AClockSetBackADay) {
  experiment_.engines().num_generations = 0;
  EXPECT_THROW(experiment_.run(plan_, "run",
                               [this] {
                                 if (experiment_.engines().num_generations >= 20)
                                   throw InterruptedError("stop");
                               }),
               InterruptedError);
  clock_offset_seconds = -kDaySeconds;
  experiment_.run(plan_, "run");
  clock_offset_seconds = 0;
  expect_whole("run");
}

/// Mounts a disk of `bytes` on the folder, seen by this process and its children alone.
bool mount_small_disk(const std::string& folder, std::size_t bytes) {
  const std::string size = "size=" + std::to_string(bytes);
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

/// Runs on a disk that is mounted over the folder "disk".
class OwnDisk : public HostileSurroundings {
 protected:
  static constexpr int kNoMount = 77, kCannotWrite = static_cast<int>(ExitCode::cannot_write);

  /// What becomes of a run, in a process of its own, on a disk of `bytes` that `prepare` changes;
  /// and of the same run behind `mend`.
  int run_on_disk(std::size_t bytes, const std::function<bool()>& prepare,
                  const std::function<bool()>& mend) {
    fs::create_directory(disk_);
    testing::ChildProcess child([&] {
      if (!mount_small_disk(disk_, bytes) || !prepare()) return kNoMount;
      try {
        experiment_.run(plan_, "disk/run");
        return 0;
      } catch (const WriteError&) {
        if (!mend()) return kNoMount;
        experiment_.run(plan_, "disk/run");
        expect_whole("disk/run");
        return HasFailure() ? 1 : kCannotWrite;
      }
    });
    return child.wait();
  }

  bool remount(unsigned long flags, const char* options) const {
    return ::mount("none", disk_.c_str(), nullptr, MS_REMOUNT | flags, options) == 0;
  }

  const std::string disk_ = experiment_.folder("disk");
};

TEST_F(OwnDisk, ThatIsFullAfterAnyNumberOfPages) {
  for (std::size_t pages = 1; pages <= 20; ++pages) {
    const int code =
        run_on_disk(pages * 4096, [] { return true; }, [this] { return remount(0, "size=64m"); });
    if (code == kNoMount) GTEST_SKIP() << "this process may not mount a disk of its own";
    EXPECT_EQ(code, kCannotWrite) << pages << " pages";
  }
}

TEST_F(OwnDisk, ThatMayOnlyBeRead) {
  const int code = run_on_disk(
      1 << 26, [this] { return remount(MS_RDONLY, ""); }, [this] { return remount(0, ""); });
  if (code == kNoMount) GTEST_SKIP() << "this process may not mount a disk of its own";
  EXPECT_EQ(code, kCannotWrite);
}

}  // namespace
}  // namespace speclab::experiments

extern "C" int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME) time->tv_sec += speclab::experiments::clock_offset_seconds;
  return result;
}
