#include "sim/system/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "sim/system/errors.h"
#include "sim/system/sha256.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/support/file_size_limit.h"

namespace speclab {
namespace {

using testing::TemporaryFolder;

std::string failure(const std::string& path, const std::string& content) {
  try {
    write_file(path, content);
    return "";
  } catch (const WriteError& error) {
    return error.what();
  }
}

TEST(WriteFile, LeavesTheOldFileAndNothingElseWhenTheNewOneDoesNotFit) {
  const TemporaryFolder folder;
  write_file(folder.path("a"), "old");
  {
    const testing::FileSizeLimit limit(1 << 20);
    const std::string message = failure(folder.path("a"), std::string(2 << 20, 'x'));
    EXPECT_NE(message.find("a.part: cannot write: File too large"), std::string::npos) << message;
  }
  EXPECT_EQ(read_file(folder.path("a")), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.part")));
}

TEST(CopyFile, CopiesAnySizeOntoTheFileItselfToo) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0u, 1u, 1u << 20, (3u << 20) + 7}) {
    const std::string content(size, 'c');
    write_file(folder.path("a"), content);
    copy_file(folder.path("a"), folder.path("b"));
    copy_file(folder.path("a"), folder.path("a"));
    EXPECT_TRUE(read_file(folder.path("a")) == content && read_file(folder.path("b")) == content)
        << size;
  }
}

TEST(CopyFile, LeavesNothingOfASourceThatCannotBeRead) {
  const TemporaryFolder folder;
  write_file(folder.path("b"), "old");
  EXPECT_THROW(copy_file(folder.path("missing"), folder.path("b")), DataError);
  EXPECT_THROW(copy_file(folder.path(), folder.path("b")), DataError);  // opens, but is a folder
  EXPECT_EQ(read_file(folder.path("b")), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.path("b.part")));
}

TEST(OpenInput, RefusesWhatIsNoRegularFileInsteadOfWaitingForIt) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder.path("pipe"), folder.path("link"));
  write_file(folder.path("file"), "text");
  std::filesystem::create_symlink(folder.path("file"), folder.path("good"));
  for (const char* name : {"pipe", "link", "", "missing"}) {
    EXPECT_THROW(open_input(folder.path(name)), DataError) << name;
    EXPECT_THROW(copy_file(folder.path(name), folder.path("copy")), DataError) << name;
    EXPECT_THROW(sha256_file(folder.path(name)), ModelFileError) << name;
  }
  EXPECT_EQ(
      std::string(std::istreambuf_iterator<char>(open_input(folder.path("good")).rdbuf()), {}),
      "text");
}

TEST(ReadFile, SaysSoWhenAFileIsTooLargeToBeMeant) {
  const TemporaryFolder folder;
  write_file(folder.path("a"), "");
  std::filesystem::resize_file(folder.path("a"),
                               std::uintmax_t{40} << 30);  // takes no space on the disk
  try {
    read_file(folder.path("a"));
    FAIL() << "40 GiB were read";
  } catch (const DataError& error) {
    EXPECT_NE(
        std::string(error.what()).find("a: has 42949672960 bytes; allowed: at most 1073741824"),
        std::string::npos)
        << error.what();
  }
}

TEST(WriteFile, DoesNotReplaceADevice) {
  EXPECT_NE(failure("/dev/null", "x"), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteFile, LeavesNothingWhereAFolderStandsInItsPlace) {
  const TemporaryFolder folder;
  make_folder(folder.path("a/b"));
  EXPECT_NE(failure(folder.path("a"), "x"), "");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.part")));
}

TEST(WriteFile, DoesNotFollowALinkLeftUnderTheScratchName) {
  const TemporaryFolder folder;
  write_file(folder.path("other"), "other's");
  std::filesystem::create_symlink(folder.path("other"), folder.path("a.part"));
  write_file(folder.path("a"), "new");
  EXPECT_EQ(read_file(folder.path("other")), "other's");
  EXPECT_EQ(read_file(folder.path("a")), "new");
}

TEST(WriteFile, DoesNotWaitForAPipeLeftUnderTheScratchName) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("a.part").c_str(), 0600), 0);
  write_file(folder.path("a"), "new");
  EXPECT_EQ(read_file(folder.path("a")), "new");
}

/// Defect: a file that a user named replaces a link, or another file of the user's beside it.
TEST(WholeFile, OfAUserReplacesNothingElse) {
  const TemporaryFolder folder;
  folder.file("other", "other's");
  std::filesystem::create_symlink(folder.path("other"), folder.path("link"));
  EXPECT_THROW(WholeFile(folder.path("link"), NameFrom::user), WriteError);
  folder.file("a.part", "the user's");
  EXPECT_THROW(WholeFile(folder.path("a"), NameFrom::user), WriteError);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(read_file(folder.path("a.part")), "the user's");
}

/// Defect: what was written of an unfinished file stays.
TEST(WholeFile, LeavesTheOldFileUntilItIsFinished) {
  const TemporaryFolder folder;
  folder.file("a", "old");
  {
    WholeFile(folder.path("a"), NameFrom::user).write("new");
  }
  EXPECT_EQ(read_file(folder.path("a")), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.part")));
  WholeFile file(folder.path("a"), NameFrom::user);
  file.write("ne");
  file.write("w");
  file.finish();
  EXPECT_EQ(read_file(folder.path("a")), "new");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.part")));
}

TEST(AppendFile, NamesTheFullDevice) {
  try {
    append_file("/dev/full", "x");
    FAIL() << "written";
  } catch (const WriteError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/full: cannot write: No space left"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace speclab
