#include "sim/system/kept_digests.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab {
namespace {

namespace fs = std::filesystem;

class KeptDigestsOfAFile : public ::testing::Test {
 protected:
  /// Keeps digests of all files at once and counts those that it makes.
  KeptDigestOptions counting() {
    return {.smallest_bytes = 0, .settled_ns = 0, .hash = [this](const std::string& path) {
              ++num_hashed_;
              return sha256_file(path);
            }};
  }
  std::string kept_file() const {
    return folder_.path("digests/") + sha256_text(fs::canonical(file_).string());
  }
  void expect_right(const KeptDigests& digests, int num_hashed, const std::string& when) {
    EXPECT_EQ(digests.of_file(file_), sha256_file(file_)) << when;
    EXPECT_EQ(num_hashed_, num_hashed) << when;
  }

  testing::TemporaryFolder folder_{testing::memory_folder()};
  std::string file_ = folder_.file("model", "weights");
  int num_hashed_ = 0;
};

/// Defect: the file is hashed at every start, or not again after a change that keeps its size, its
/// time or its name.
TEST_F(KeptDigestsOfAFile, ServeUntilTheFileChanges) {
  const KeptDigests digests(folder_.path("digests"), counting());
  expect_right(digests, 1, "new");
  expect_right(KeptDigests(folder_.path("digests"), counting()), 1, "the next start");
  fs::create_symlink(file_, folder_.path("link"));
  EXPECT_EQ(digests.of_file(folder_.path("link")), sha256_file(file_));
  EXPECT_EQ(num_hashed_, 1) << "a link to it";
  struct stat before = {};
  ASSERT_EQ(::stat(file_.c_str(), &before), 0);
  ::usleep(20'000);  // past one tick of the file system's clock
  folder_.file("model", "WEIGHTS");
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  expect_right(digests, 2, "same size and time");
  folder_.file("other", "wEIGHTS");
  ASSERT_EQ(::utimensat(AT_FDCWD, folder_.path("other").c_str(), times, 0), 0);
  fs::rename(folder_.path("other"), file_);
  expect_right(digests, 3, "another file in its place");
  expect_right(digests, 3, "kept again");
}

/// Defect: a digest is kept of a file that changes again within one tick of its clock.
TEST_F(KeptDigestsOfAFile, AreNotKeptWhileItMayChange) {
  KeptDigestOptions options = counting();
  options.settled_ns = KeptDigestOptions{}.settled_ns;
  const KeptDigests digests(folder_.path("digests"), options);
  expect_right(digests, 1, "young");
  expect_right(digests, 2, "still young");
  fs::last_write_time(file_, fs::file_time_type::clock::now() + std::chrono::hours(1));
  expect_right(digests, 3, "from the future");
  EXPECT_FALSE(fs::exists(folder_.path("digests")));
}

/// Defect: a file that is written while it is hashed keeps the digest of its old bytes.
TEST_F(KeptDigestsOfAFile, AreNotKeptIfItChangesMeanwhile) {
  KeptDigestOptions options = counting();
  options.hash = [this](const std::string& path) {
    const std::string old = sha256_file(path);
    if (++num_hashed_ == 1) folder_.file("model", "more weights");
    return old;
  };
  const KeptDigests digests(folder_.path("digests"), options);
  digests.of_file(file_);
  expect_right(digests, 2, "changed");
}

/// Defect: each small file of a run leaves a file in the cache.
TEST_F(KeptDigestsOfAFile, AreNotKeptOfSmallFiles) {
  KeptDigestOptions options = counting();
  options.smallest_bytes = 8;
  const KeptDigests digests(folder_.path("digests"), options);
  expect_right(digests, 1, "7 bytes");
  expect_right(digests, 2, "7 bytes again");
  EXPECT_FALSE(fs::exists(folder_.path("digests")));
}

/// Defect: a damaged or foreign digest is taken for the file's, and a sound model is refused.
TEST_F(KeptDigestsOfAFile, AreMadeAnewWhereTheyAreDamaged) {
  const KeptDigests digests(folder_.path("digests"), counting());
  expect_right(digests, 1, "new");
  const std::string whole = read_file(kept_file());
  int num_hashed = 1;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    std::ofstream(kept_file()) << damaged;
    expect_right(digests, ++num_hashed, "a flipped bit of byte " + std::to_string(at));
    ASSERT_EQ(read_file(kept_file()), whole) << at;
  }
  for (const std::string& other : {std::string(), whole.substr(0, 40), whole + "\n",
                                   std::string(whole.size(), 'a'), whole + whole}) {
    std::ofstream(kept_file()) << other;
    expect_right(digests, ++num_hashed, std::to_string(other.size()) + " bytes");
  }
}

/// Defect: a cache that cannot be written ends a program that needs none.
TEST_F(KeptDigestsOfAFile, NeedNoFolderThatCanBeWritten) {
  int num_hashed = 0;
  for (const std::string& nowhere : {file_, file_ + "/below", std::string("/dev/null/digests")})
    expect_right(KeptDigests(nowhere, counting()), ++num_hashed, nowhere);
  fs::create_directories(kept_file());
  expect_right(KeptDigests(folder_.path("digests"), counting()), ++num_hashed, "a folder there");
}

/// Defect: files that cannot be read, or never end, have a digest.
TEST_F(KeptDigestsOfAFile, AreRefusedWithoutAFile) {
  const KeptDigests digests(folder_.path("digests"), counting());
  ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  for (const char* name : {"missing", "pipe", ""})
    EXPECT_THROW(digests.of_file(folder_.path(name)), ModelFileError) << name;
}

/// Defect: two processes that keep a digest at once leave half of one under its name, or fail.
TEST_F(KeptDigestsOfAFile, AreSharedByProcesses) {
  const std::string digest = sha256_file(file_);
  const auto start_and_lose = [&] {
    for (int round = 0; round < 100; ++round) {
      if (KeptDigests(folder_.path("digests"), counting()).of_file(file_) != digest) ::_exit(1);
      std::error_code none;
      fs::remove(kept_file(), none);
    }
    ::_exit(0);
  };
  for (int process = 0; process < 3; ++process)
    if (::fork() == 0) start_and_lose();
  for (int process = 0, status = 0; process < 3; ++process) {
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  const KeptDigests digests(folder_.path("digests"), counting());
  digests.of_file(file_);
  num_hashed_ = 0;
  expect_right(digests, 0, "kept at last");
}

/// Defect: the digest of a model in several files does not depend on each of them, or on their
/// order.
TEST_F(KeptDigestsOfAFile, CountEveryFileOfAModel) {
  const KeptDigests digests(folder_.path("digests"), counting());
  const std::string other = folder_.file("other", "more weights");
  EXPECT_EQ(digests.of_files(std::vector{file_}), sha256_file(file_));
  EXPECT_EQ(digests.of_files(std::vector{file_, other}),
            sha256_text(sha256_file(file_) + sha256_file(other)));
  EXPECT_NE(digests.of_files(std::vector{file_, other}),
            digests.of_files(std::vector{other, file_}));
}

}  // namespace
}  // namespace speclab
