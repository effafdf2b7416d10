#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/system/files.h"

namespace speclab::testing {

/// Where files live in memory, so that thousands of syncs cost nothing; the ordinary folder where
/// there is no such place.
inline std::filesystem::path memory_folder() {
  return std::filesystem::is_directory("/dev/shm") ? "/dev/shm"
                                                   : std::filesystem::temp_directory_path();
}

/// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "speclab-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// Writes a file and returns its path. Not synced to disk, which takes longer than many a test.
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::string path_;
};

}  // namespace speclab::testing
