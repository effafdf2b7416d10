#include "sim/core/files.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "sim/core/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab {
namespace {

using testing::TemporaryFolder;

/// A disk of one megabyte, as long as this lives. Only root can make one.
class SmallDisk {
 public:
  SmallDisk() : mounted_(::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=1m") == 0) {}
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool is_there() const { return mounted_; }
  std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  TemporaryFolder folder_;
  bool mounted_;
};

std::string failure(const std::string& path, const std::string& content) {
  try {
    write_file(path, content);
    return "";
  } catch (const WriteError& error) {
    return error.what();
  }
}

TEST(WriteFile, LeavesTheOldFileAndNothingElseWhenTheDiskIsFull) {
  const SmallDisk disk;
  if (!disk.is_there()) GTEST_SKIP() << "a small disk can only be mounted by root";
  write_file(disk.path("a"), "old");
  const std::string message = failure(disk.path("a"), std::string(2 << 20, 'x'));
  EXPECT_NE(message.find("a.part: cannot write: No space left on device; free space"), std::string::npos) << message;
  EXPECT_EQ(read_file(disk.path("a")), "old");
  EXPECT_FALSE(std::filesystem::exists(disk.path("a.part")));
  EXPECT_EQ(failure(disk.path("b"), std::string(1 << 19, 'x')), "") << "the space is free again";
}

TEST(WriteFile, LeavesNothingWhereAFolderStandsInItsPlace) {
  const TemporaryFolder folder;
  make_folder(folder.path("a/b"));
  EXPECT_NE(failure(folder.path("a"), "x"), "");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.part")));
}

TEST(AppendFile, NamesTheFullDevice) {
  try {
    append_file("/dev/full", "x");
    FAIL() << "written";
  } catch (const WriteError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/full: cannot write: No space left"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace speclab
