#include "experiments/drivers/program/run_lock.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

TEST(RunLock, NamesTheProcessThatHoldsIt) {
  const testing::TemporaryFolder folder;
  const RunLock first(folder.path());
  try {
    const RunLock second(folder.path());
    FAIL() << "locked twice";
  } catch (const LockedError& error) {
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())),
              std::string::npos)
        << error.what();
  }
}

TEST(RunLock, IsFreeAgainWhenItsHolderIsGone) {
  const testing::TemporaryFolder folder;
  std::optional<RunLock> first(std::in_place, folder.path());
  first.reset();
  EXPECT_NO_THROW(RunLock(folder.path()));
}

/// Defect: a run that was killed while it started gnuplot cannot be continued at once, since a
/// child has the lock until it is another program.
TEST(RunLock, WaitsForTheChildOfAHolderThatIsGone) {
  const testing::TemporaryFolder folder;
  const pid_t holder = ::fork();
  if (holder == 0) {
    const RunLock lock(folder.path());
    if (::fork() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(holder, nullptr, 0), holder);
  EXPECT_NO_THROW(RunLock(folder.path()));
}

TEST(RunLock, DoesNotFollowALink) {
  const testing::TemporaryFolder folder;
  const std::string precious = folder.file("precious", "gold");
  std::filesystem::create_symlink(precious, folder.path("lock"));
  EXPECT_THROW(RunLock(folder.path()), WriteError);
  EXPECT_EQ(read_file(precious), "gold");
}

TEST(RunLock, NamesTheHost) {
  const testing::TemporaryFolder folder;
  const RunLock first(folder.path());
  std::array<char, 65> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  EXPECT_EQ(read_file(folder.path("lock")), std::to_string(::getpid()) + " on " + host.data());
}

/// What the C library's statfs says, replaced for this test program.
std::uint32_t file_system_of_all = 0;

TEST(RunLock, RefusesNetworkFoldersUnlessTheyAreAllowed) {
  const testing::TemporaryFolder folder;
  for (const std::uint32_t network :
       {0x6969u, 0x517Bu, 0xFE534D42u, 0xFF534D42u, 0x00C36400u, 0x0BD00BD0u}) {
    file_system_of_all = network;
    EXPECT_THROW(RunLock(folder.path()), WriteError) << network;
    EXPECT_FALSE(std::filesystem::exists(folder.path("lock")));
  }
  EXPECT_NO_THROW(RunLock(folder.path(), NetworkFolder::allowed));
  file_system_of_all = 0;
}

TEST(RunLock, AMissingFolderIsAWriteError) { EXPECT_THROW(RunLock("/nowhere/at/all"), WriteError); }

}  // namespace
}  // namespace speclab::experiments

extern "C" int statfs(const char* path, struct statfs* system) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_statfs, path, system));
  if (speclab::experiments::file_system_of_all != 0)
    system->f_type = speclab::experiments::file_system_of_all;
  return result;
}
