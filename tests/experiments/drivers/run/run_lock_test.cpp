#include "experiments/drivers/run/run_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "sim/core/errors.h"
#include "sim/core/files.h"
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
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())), std::string::npos) << error.what();
  }
}

TEST(RunLock, IsFreeAgainWhenItsHolderIsGone) {
  const testing::TemporaryFolder folder;
  std::optional<RunLock> first(std::in_place, folder.path());
  first.reset();
  EXPECT_NO_THROW(RunLock(folder.path()));
}

TEST(RunLock, DoesNotFollowALink) {
  const testing::TemporaryFolder folder;
  const std::string precious = folder.file("precious", "gold");
  std::filesystem::create_symlink(precious, folder.path("lock"));
  EXPECT_THROW(RunLock(folder.path()), WriteError);
  EXPECT_EQ(read_file(precious), "gold");
}

TEST(RunLock, AMissingFolderIsAWriteError) { EXPECT_THROW(RunLock("/nowhere/at/all"), WriteError); }

}  // namespace
}  // namespace speclab::experiments
